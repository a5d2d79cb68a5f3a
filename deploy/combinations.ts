import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { type Changes, type Overlay, renderOverlayText } from "./render.ts"

/** What the components of operators read in addition to what the overlays contain. */
const installation = {
  POSTGRES_CLUSTER: "postgres",
  SECRET_STORE: "vault",
  KAFKA_CIDR: "10.40.0.0/16",
  KAFKA_PORT: "9098",
  POSTGRES_CIDR: "10.50.0.0/28",
  POSTGRES_PORT: "5432",
  CONSOLE_HOST: "console.example",
  PROXY_CIDR: "10.42.0.0/16",
}

const common = ["console", "default-deny"]

/** Combinations that somebody might use. Each component is in one of them. */
export const combinations: Record<string, { overlay: Overlay } & Changes> = {
  production: { overlay: "production" },
  "single-node": { overlay: "single-node" },
  minimal: { overlay: "single-node", components: [] },
  "without-console": { overlay: "production", components: ["default-deny", "monitoring", "ingress"] },
  ingress: {
    overlay: "production",
    components: [...common, "monitoring", "ingress", "console-ingress", "cert-manager", "autoscaling"],
    settings: { installation },
  },
  operators: {
    overlay: "production",
    components: [
      ...common,
      "monitoring",
      "dashboards",
      "opentelemetry",
      "gateway-api",
      "console-gateway-api",
      "cert-manager",
      "autoscaling",
      "strimzi",
      "strimzi-autoscaling",
      "cnpg",
      "external-secrets",
    ],
    settings: { installation },
  },
  managed: {
    overlay: "production",
    components: [
      ...common,
      "kafka-external",
      "postgres-external",
      "monitoring",
      "gateway-api",
      "autoscaling",
    ],
    settings: { installation },
  },
  strimzi: {
    overlay: "single-node",
    components: [...common, "ingress", "console-ingress", "traefik", "strimzi"],
    settings: { installation },
  },
  openshift: {
    overlay: "production",
    components: [...common, "monitoring", "ingress", "strimzi", "cnpg", "openshift"],
    settings: { installation },
  },
  argocd: {
    overlay: "production",
    components: [...common, "ingress", "external-secrets", "argocd"],
    settings: { installation },
  },
  flux: { overlay: "production", components: [...common, "gateway-api", "flux"] },
  "flux-openshift": { overlay: "production", components: [...common, "ingress", "openshift", "flux"] },
}

/** Writes each different resource of all combinations. */
async function writeDifferent(file: string): Promise<void> {
  const different = new Set<string>()
  for (const { overlay, ...changes } of Object.values(combinations)) {
    const text = await renderOverlayText(overlay, changes)
    for (const resource of text.split(/^---\n/m)) different.add(resource)
  }
  await writeFile(file, [...different].join("---\n"))
  process.stdout.write(
    `${Object.keys(combinations).length} combinations have ${different.size} different resources\n`,
  )
}

if (import.meta.main) {
  const [file] = parseArgs({ allowPositionals: true }).positionals
  if (!file) throw new Error("Usage: node deploy/combinations.ts <file>")
  await writeDifferent(file)
}
