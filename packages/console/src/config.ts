import { sealingVariables } from "@sitewire/database"
import { egressVariables, rangesVariable } from "@sitewire/egress"
import {
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  portVariable,
  retentionBounds,
  retryVariables,
  telemetryVariables,
} from "@sitewire/runtime"
import { z } from "zod"
import { isLoopback } from "./session/consoleOrigin.ts"

const httpsOrLoopback = "must begin with https://, or with http:// and a loopback address"

const originSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine(isOrigin, "must be an origin, such as https://hooks.example, without a path")
  .transform((text) => new URL(text).origin)

export const consoleVariables = {
  ...kafkaVariables,
  ...databaseVariables,
  ...retryVariables,
  ...telemetryVariables,
  CONSOLE_HOST: z.string().default("127.0.0.1").meta({
    description:
      "IP address on which the management API listens. It must not be reachable from the internet without a proxy with TLS.",
  }),
  CONSOLE_PORT: portVariable(8090, "Port of the management API; 0 chooses a free port."),
  ...sealingVariables,
  GATEWAY_ORIGIN: originSchema
    .optional()
    .meta({ description: "Origin of trigger URLs. Default: https:// and the connection's site." }),
  CONSOLE_ORIGIN: originSchema.refine(isHttpsOrLoopback, httpsOrLoopback).optional().meta({
    description:
      "Origin at which browsers open the web console, such as https://console.example. Default: http at a loopback address, with any port.",
  }),
  CONSOLE_WEB_FOLDER: z.string().optional().meta({
    description: "Folder of the built web console. Default: packages/web/dist of this version.",
  }),
  TRUSTED_PROXIES: rangesVariable(
    "IP ranges (CIDR, separated by commas) of the proxies in front of the console, whose X-Forwarded-For states the client's address. Failed sign-ins are limited by address.",
  ),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(isHttpsOrLoopback, httpsOrLoopback)
    .optional()
    .meta({
      description:
        "Issuer URL of a provider of OpenID Connect, with which users can sign in to the web console. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
    }),
  OIDC_CLIENT_ID: z.string().optional().meta({
    description:
      "The console's client id at the provider. The redirect URI is CONSOLE_ORIGIN followed by /session/oidc/callback.",
  }),
  OIDC_CLIENT_SECRET: z.string().optional().meta({
    description: "The console's client secret at the provider.",
    secret: true,
  }),
  OIDC_SCOPES_CLAIM: z.string().default("sitewire_scopes").meta({
    description:
      "Claim of the ID token that lists a user's scopes: read, operate, channel:<id>, site:<host>. Other values are ignored.",
  }),
  API_REQUESTS_PER_MINUTE: countVariable(
    3_000,
    { min: 1, max: 1_000_000 },
    "How many requests per minute an API key may send to one console. Further requests get 429.",
  ),
  RETENTION: durationVariable(
    "30d",
    "How long dispatchers store deliveries: use their value. A reconciliation checks only younger events.",
    retentionBounds,
  ),
  AUDIT_RETENTION: durationVariable("365d", "How long the audit log is kept.", { min: "1d", max: "3650d" }),
  ALLOW_HTTP: egressVariables.ALLOW_HTTP,
  ALLOWED_RANGES: rangesVariable(
    "Private IP ranges (CIDR, separated by commas) that addresses may use nevertheless.",
  ),
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "IP ranges (CIDR, separated by commas) in which executors of `delegate` connections may be, with http too. Use the scheduler's value.",
  ),
}

function isHttpsOrLoopback(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === "https:" || isLoopback(hostname)
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase()
}
