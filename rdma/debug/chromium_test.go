package debug

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browserTime bounds one start of the browser, which takes a second or two.
const browserTime = 60 * time.Second

// browse loads a page and returns the document, and a picture of it.
func browse(t *testing.T, url string, flags ...string) (dom string, picture []byte, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), browserTime)
	defer cancel()
	dir := t.TempDir()
	shot := filepath.Join(dir, "shot.png")
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1500,900",
		"--user-data-dir=" + filepath.Join(dir, "user"), "--screenshot=" + shot, "--dump-dom"}, flags...)
	cmd := exec.CommandContext(ctx, "chromium", append(args, url)...)
	cmd.WaitDelay = time.Second // its children may keep the pipes
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("chromium: %w\n%s", err, tail(errs.String()))
	}
	picture, _ = os.ReadFile(shot)
	return out.String(), picture, nil
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

// TestInABrowser loads the page in Chromium, light and dark, with JavaScript and without.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("the page in a browser: chromium is not installed")
	}
	// A page of no consequence tells whether the browser works here at all.
	if blank, _, err := browse(t, "data:text/html,<p id=works>works</p>"); err != nil || !strings.Contains(blank, "works</p>") {
		t.Skipf("the page in a browser: chromium does not work here: %v, %q", err, tail(blank))
	}
	for name, x := range map[string]struct {
		flags   []string
		scripts bool
	}{
		"light":                {[]string{"--blink-settings=preferredColorScheme=1", "--virtual-time-budget=5000"}, true},
		"dark without scripts": {[]string{"--blink-settings=preferredColorScheme=0"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{plain: !x.scripts}
			server := httptest.NewServer(s)
			defer server.Close()
			dom, picture, err := browse(t, server.URL+"/debug/rdma/?sort=-bytes&q=x", x.flags...)
			if err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("GODAPL_PICTURES"); dir != "" {
				os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".png"), picture, 0o666)
			}
			if !bytes.HasPrefix(picture, []byte("\x89PNG")) {
				t.Error("there is no picture")
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			checkRows(t, dom)
			if len(s.other) > 0 || strings.Contains(dom, "<title>executed") {
				t.Errorf("a text of a peer was carried out: requests for %v", s.other)
			}
			if n := strings.Count(dom, "<script"); n != 1 {
				t.Errorf("%d scripts", n)
			}
			if refreshed := s.looks > 1; refreshed != x.scripts {
				t.Errorf("%d looks", s.looks)
			}
			if !strings.Contains(dom, fmt.Sprintf(`in all">%d</td>`, s.looks)) {
				t.Errorf("the document is not that of look %d", s.looks)
			}
			if !strings.Contains(dom, `<details data-key="x 3 events" open="">`) {
				t.Error("the details that were open are not")
			}
			if hidden := strings.Contains(dom, `id="pause" hidden`); hidden != !x.scripts {
				t.Errorf("the button for the script is hidden: %t", hidden)
			}
		})
	}
}

// checkRows looks for what the page has to show, in the order that the address asks for.
func checkRows(t *testing.T, dom string) {
	t.Helper()
	for _, want := range []string{"stuck for 12s: a message", `&lt;script&gt;document.title = "executed"`, "zone 2", "completion queue 2",
		"mailbox of &lt;b&gt;orders", "12 of 64", "3.0 MiB"} {
		if !strings.Contains(dom, want) {
			t.Errorf("the document lacks %s", want)
		}
	}
	if strings.Contains(dom, "left out") {
		t.Error("the filter leaves out nothing")
	}
	var order []string
	for _, m := range regexp.MustCompile(`<td>x</td><td class="n">(\d)</td>`).FindAllStringSubmatch(dom, -1) {
		order = append(order, m[1])
	}
	if got := strings.Join(order, ""); got != "36147250" {
		t.Errorf("the rows are %s", got)
	}
	if link := regexp.MustCompile(`href="([^"]*sort=note[^"]*)"`).FindStringSubmatch(dom); link == nil || html.UnescapeString(link[1]) != "?q=x&sort=note" {
		t.Errorf("the link that sorts by note is %q", link)
	}
}
