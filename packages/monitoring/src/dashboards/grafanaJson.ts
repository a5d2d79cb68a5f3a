import type { Dashboard, Panel, Unit } from "./dashboard.ts"
import { placePanels } from "./placePanels.ts"

const units: Record<Unit, string> = {
  "per second": "reqps",
  seconds: "s",
  share: "percentunit",
  count: "short",
  bytes: "bytes",
}
const datasource = { type: "prometheus", uid: "$datasource" }

/** The model that Grafana 9 and newer import. */
export function grafanaJson({ id, title, panels }: Dashboard): string {
  const model = {
    uid: `sitewire-${id}`,
    title,
    tags: ["sitewire"],
    schemaVersion: 37,
    editable: true,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: {
      list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }],
    },
    links: [{ title: "Sitewire", type: "dashboards", tags: ["sitewire"], includeVars: true, keepTime: true }],
    panels: placePanels(panels).map(({ panel, x, y, w, h }, index) => ({
      id: index + 1,
      gridPos: { x, y, w, h },
      ...panelModel(panel),
    })),
  }
  return `${JSON.stringify(model, null, 2)}\n`
}

function panelModel({ title, help, kind, unit, queries, alertAbove }: Panel): object {
  const steps = [
    { color: "green", value: null },
    ...(alertAbove === undefined ? [] : [{ color: "red", value: alertAbove + Number.EPSILON }]),
  ]
  const custom = { lineWidth: 2, fillOpacity: 5, thresholdsStyle: { mode: alertAbove ? "dashed" : "off" } }
  return {
    title,
    description: help,
    type: kind === "number" ? "stat" : "timeseries",
    datasource,
    fieldConfig: {
      defaults: {
        unit: units[unit],
        min: 0,
        thresholds: { mode: "absolute", steps },
        ...(kind === "lines" && { custom, color: { mode: "palette-classic" } }),
      },
      overrides: [],
    },
    options:
      kind === "number"
        ? {
            reduceOptions: { calcs: ["lastNotNull"] },
            colorMode: alertAbove === undefined ? "none" : "value",
          }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr: expr.replaceAll("$rate", "$__rate_interval"),
      legendFormat: legend,
      ...(kind === "number" && { instant: true, range: false }),
    })),
  }
}
