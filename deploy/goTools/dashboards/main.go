// Validates dashboards by Grafana's own schema, in which unknown fields are errors, also those of each kind of panel and query:
//
//	dashboards dashboard.json...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	var problems []error
	for _, file := range os.Args[1:] {
		if err := validate(file); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", file, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d dashboards are valid for Grafana\n", len(os.Args)-1)
}

func validate(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// Strictly read, a dashboard has no panels, because the package takes its empty list of errors for an error.
	var strict, read dashboard.Dashboard
	problems := []error{strict.UnmarshalJSONStrict(text), json.Unmarshal(text, &read), read.Validate()}
	for _, each := range read.Panels {
		// Any type is valid, because plugins add types. A Grafana without them shows nothing.
		if panel := each.Panel; panel != nil {
			if _, known := cog.NewRuntime().ConfigForPanelcfgVariant(panel.Type); !known {
				problems = append(problems, fmt.Errorf("%s is no type of panel", panel.Type))
			}
		}
	}
	if err = errors.Join(problems...); err == nil || strings.TrimSpace(err.Error()) == "" {
		return nil
	}
	return err
}
