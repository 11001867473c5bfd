package contest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// draw makes a figure for each size and depth: calls in a second over clients.
func (c *config) draw(out io.Writer, results []result) error {
	if c.figures == "" {
		return nil
	}
	if err := os.MkdirAll(c.figures, 0o755); err != nil {
		return err
	}
	for _, size := range c.sizes {
		for _, depth := range c.depths {
			p, err := c.figure(results, size, depth)
			if err != nil {
				return err
			}
			file := filepath.Join(c.figures, fmt.Sprintf("calls-%d-%d.svg", size, depth))
			if err := p.Save(18*vg.Centimeter, 12*vg.Centimeter, file); err != nil {
				return err
			}
			fmt.Fprintln(out, file)
		}
	}
	return nil
}

func (c *config) figure(results []result, size, depth int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Calls of %d bytes, %d under way for each client", size, depth)
	if c.load {
		p.Title.Text += ", beside busy loops"
	}
	p.X.Label.Text, p.Y.Label.Text = "clients", "thousands in a second"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for i, x := range c.contenders {
		var xys plotter.XYs
		for _, r := range results {
			if r.name == x.Name && r.Size == size && r.Depth == depth {
				xys = append(xys, plotter.XY{X: float64(r.Clients), Y: r.rate / 1e3})
			}
		}
		slices.SortFunc(xys, func(a, b plotter.XY) int { return int(a.X - b.X) })
		line, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, marks.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		line.Width = vg.Points(1.2)
		p.Add(line, marks)
		p.Legend.Add(x.Name, line, marks)
	}
	if p.X.Min == p.X.Max { // of one number plot makes a range that is one more at both ends, and 0 has no logarithm
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
	}
	p.Y.Max *= 8 // room for the legend
	return p, nil
}
