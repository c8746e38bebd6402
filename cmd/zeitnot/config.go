package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"zeitnot/config"
)

func (a *app) configCommand() *cobra.Command {
	var envFile string
	var docs, asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in effect, or the table of all settings",
		Long: `Show the settings in effect, in the form of an env file. The token is not shown.
Wrong settings are reported all at once, with exit code 78.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if docs && asJSON {
				return usage(fmt.Errorf("want --docs or --json, not both"))
			}
			if docs {
				return config.WriteDocs(a.out)
			}
			settings, err := a.loadConfig(envFile)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(settings.Values())
			}
			for _, line := range settings.Lines() {
				fmt.Fprintln(a.out, line)
			}
			if !settings.Token.Empty() {
				fmt.Fprintf(a.out, "# %s_TOKEN=%v from %s\n", config.Prefix, settings.Token, settings.TokenSource)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&docs, "docs", false, "print the documentation of all settings as Markdown")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	envFileFlag(c, &envFile)
	return c
}

// envFileFlag is the flag of all commands that read settings.
func envFileFlag(c *cobra.Command, envFile *string) {
	c.Flags().StringVar(envFile, "env-file", "", "`file` with settings, one NAME=value a line; the environment counts more")
	c.MarkFlagFilename("env-file") // it fails only for a flag that is not there
}

// printJSON writes one value on standard output.
func (a *app) printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", b)
	return err
}
