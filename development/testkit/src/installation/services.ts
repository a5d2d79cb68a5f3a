/**
 * `ports` has the variable of each port, and the name under which the service announces the port's address.
 */
export type Service = { main: string; ports: Record<string, string> }

const ops = { OPS_PORT: "ops" }

export const services = {
  gateway: { main: "services/trigger-gateway/src/main.ts", ports: { ...ops, GATEWAY_PORT: "gateway" } },
  scheduler: { main: "services/sync-scheduler/src/main.ts", ports: ops },
  dispatcher: { main: "services/webhook-dispatcher/src/main.ts", ports: ops },
  console: { main: "packages/console/src/main.ts", ports: { ...ops, CONSOLE_PORT: "console" } },
} satisfies Record<string, Service>

export type ServiceName = keyof typeof services

/** Allows the services to call sources and notification addresses on this machine. */
const loopbackSources = { ALLOW_HTTP: "true", PARTNER_ALLOWED_RANGES: "127.0.0.0/8" }
const loopbackChannels = { ...loopbackSources, ALLOWED_RANGES: "127.0.0.0/8" }

/** A service's variables, except the addresses of Postgres and Kafka. Port 0 is any free port. */
export function variablesOf(service: ServiceName, sealingKeys: string): Record<string, string> {
  const sealing = { SEALING_KEYS: sealingKeys }
  switch (service) {
    case "gateway":
      return { GATEWAY_HOST: "127.0.0.1", GATEWAY_PORT: "0", GATEWAY_DRAIN_DELAY: "0ms" }
    case "scheduler":
      return { ...loopbackSources, ...sealing, ALLOW_SHORT_WINDOW: "true" }
    case "dispatcher":
      return { ...loopbackChannels, ...sealing }
    case "console":
      return { ...loopbackChannels, ...sealing, CONSOLE_PORT: "0" }
  }
}
