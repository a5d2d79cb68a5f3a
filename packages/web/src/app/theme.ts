import { type CSSVariablesResolver, createTheme } from "@mantine/core"

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  components: {
    // Its library adds a style element without a nonce: global.css locks the page instead.
    Modal: {
      defaultProps: { lockScroll: false, centered: true, radius: "md" },
      styles: { title: { fontWeight: 600 } },
    },
    Tooltip: {
      defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
  },
})

/** Mantine's own greys have too little contrast for WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#596270",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-anchor": "var(--mantine-color-indigo-8)",
    "--mantine-color-error": "#c0212f",
  },
  dark: {
    "--mantine-color-dimmed": "#a3acb8",
    "--mantine-color-placeholder": "#939cab",
    "--mantine-color-anchor": "var(--mantine-color-indigo-3)",
    "--mantine-color-error": "#ff8787",
    "--mantine-color-dark-4": "#3a3f4b",
    "--mantine-color-dark-5": "#2a2e37",
    "--mantine-color-dark-6": "#20232a",
    "--mantine-color-dark-7": "#16181d",
    "--mantine-color-dark-8": "#111317",
    "--mantine-color-body": "#16181d",
    "--mantine-color-text": "#dfe3ea",
    "--mantine-color-default": "#20232a",
    "--mantine-color-default-hover": "#2a2e37",
    "--mantine-color-default-border": "#3a3f4b",
  },
})
