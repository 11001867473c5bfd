package figures

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is one of the four: which number it shows.
type figure struct {
	file, title, unit string
	scale             float64 // a unit in what was measured
	falls             bool    // with the size: the room for the legend is below
	of                func(point) float64
}

var figures = []figure{
	{"cpu", "Processor time of an operation, both sides", "µs", 1e3, false, func(p point) float64 { return p.cpu }},
	{"rate", "Operations in a second", "thousands", 1e3, true, func(p point) float64 { return p.rate }},
	{"bandwidth", "Bandwidth", "MB/s", 1e6, false, func(p point) float64 { return p.bandwidth }},
	{"latency", "Latency, the median", "µs", 1e3, false, func(p point) float64 { return p.latency }},
}

// Each operation and mode has a colour and a mark; uDAPL's calls are dashed. The
// colours can be told apart by those who see few.
var looks = map[[2]string]struct {
	color color.Color
	mark  draw.GlyphDrawer
}{
	{"read", "poll"}:  {color.RGBA{0x00, 0x72, 0xB2, 0xFF}, draw.CircleGlyph{}},
	{"read", "wait"}:  {color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, draw.RingGlyph{}},
	{"write", "poll"}: {color.RGBA{0xD5, 0x5E, 0x00, 0xFF}, draw.SquareGlyph{}},
	{"write", "wait"}: {color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, draw.BoxGlyph{}},
}

// legendShare is how much of the height the legend's eight lines take, with some air.
const legendShare = 0.36

// width and height of a figure.
const (
	width  = 18 * vg.Centimeter
	height = 12 * vg.Centimeter
)

// draw writes the figure in both formats, and tells the files.
func (f *figure) draw(c *config, points []point) (files []string, err error) {
	p, err := f.plot(c, points)
	if p == nil {
		return nil, err
	}
	for _, format := range []string{".svg", ".png"} {
		file := filepath.Join(c.out, f.file+format)
		if err := p.Save(width, height, file); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// plot makes the figure. It is nil if nothing of it could be measured.
func (f *figure) plot(c *config, points []point) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s (%s)", f.title, c.path)
	p.X.Label.Text, p.Y.Label.Text = "size of an operation", f.unit
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = sizeTicks(c.sizes), plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = !f.falls, true
	p.Add(plotter.NewGrid())
	drawn := 0
	for _, s := range lines() {
		xys := f.line(s, points)
		if len(xys) == 0 {
			continue
		}
		drawn++
		line, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		look := looks[[2]string{s.op, s.mode}]
		line.Color, marks.Color, marks.Shape = look.color, look.color, look.mark
		line.Width, marks.Radius = vg.Points(1.2), vg.Points(2.5)
		if s.api == "dat" {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		p.Add(line, marks)
		p.Legend.Add(fmt.Sprintf("%s, %s, %s", s.op, modeNames[s.mode], s.api), line, marks)
	}
	if drawn == 0 {
		return nil, nil
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if a.Min == a.Max { // of one number plot makes a range that is one more at both ends, and 0 has no logarithm
			a.Min, a.Max = a.Min/2, a.Max*2
		}
	}
	// The legend has a band of its own, above or below all curves.
	band := math.Pow(p.Y.Max/p.Y.Min, legendShare/(1-legendShare))
	if f.falls {
		p.Y.Min /= band
	} else {
		p.Y.Max *= band
	}
	return p, nil
}

// lines are all series, in the order of the legend.
func lines() (all []series) {
	for _, op := range ops {
		for _, mode := range modes {
			for _, api := range apis {
				all = append(all, series{op, mode, api})
			}
		}
	}
	return all
}

// line is what was measured of a series.
func (f *figure) line(s series, points []point) (xys plotter.XYs) {
	for _, p := range points {
		if y := f.of(p); p.series == s && y > 0 {
			xys = append(xys, plotter.XY{X: float64(p.size), Y: y / f.scale})
		}
	}
	return xys
}

// sizeTicks marks the sizes that were measured.
type sizeTicks []int

func (s sizeTicks) Ticks(_, _ float64) (ticks []plot.Tick) {
	for _, n := range s {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: bytesText(n)})
	}
	return ticks
}
