import { durationSchema, emailAddressSchema, parseJson, scopeForms, scopeSchema } from "@sitewire/contracts"
import { sealingVariables } from "@sitewire/database"
import { channelEgressVariables, rangesVariable } from "@sitewire/egress"
import {
  booleanVariable,
  countVariable,
  databaseVariables,
  durationVariable,
  httpsOrLoopback,
  isHttpsOrLoopback,
  kafkaVariables,
  listVariable,
  portVariable,
  retentionBounds,
  retryVariables,
  siteVariables,
  telemetryVariables,
} from "@sitewire/runtime"
import { z } from "zod"

const operatorEmails =
  "Addresses, separated by commas, that get an e-mail of all incidents: one an hour at most. Needs SMTP_URL."

const originSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine(isOrigin, "must be an origin, such as https://hooks.example, without a path")
  .transform((text) => new URL(text).origin)

export const consoleVariables = {
  ...kafkaVariables,
  ...databaseVariables,
  ...retryVariables,
  ...telemetryVariables,
  CONSOLE_HOST: z
    .string()
    .default("127.0.0.1")
    .describe(
      "IP address on which the management API listens. It must not be reachable from the internet without a proxy with TLS.",
    ),
  CONSOLE_PORT: portVariable(8090, "Port of the management API; 0 chooses a free port."),
  ...sealingVariables,
  ...siteVariables,
  GATEWAY_ORIGIN: originSchema
    .optional()
    .describe("Origin of trigger URLs. Default: https:// and the connection's site."),
  CONSOLE_ORIGIN: originSchema
    .refine(isHttpsOrLoopback, httpsOrLoopback)
    .optional()
    .describe(
      "Origin at which browsers open the web console, such as https://console.example. Default: http at a loopback address, with any port.",
    ),
  CONSOLE_WEB_FOLDER: z
    .string()
    .optional()
    .describe("Folder of the built web console. Default: packages/web/dist of this version."),
  TRUSTED_PROXIES: rangesVariable(
    "IP ranges (CIDR, separated by commas) of the proxies in front of the console, whose X-Forwarded-For states the client's address. Failed sign-ins are limited by address.",
  ),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(isHttpsOrLoopback, httpsOrLoopback)
    .optional()
    .describe(
      "Issuer URL of a provider of OpenID Connect, with which users can sign in to the web console. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.",
    ),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .describe(
      "The console's client id at the provider. The redirect URI is CONSOLE_ORIGIN followed by /session/oidc/callback.",
    ),
  OIDC_CLIENT_SECRET: z.string().optional().meta({
    description: "The console's client secret at the provider.",
    secret: true,
  }),
  OIDC_SCOPES_CLAIM: z
    .string()
    .default("sitewire_scopes")
    .describe(`Claim of the ID token that lists a user's scopes: ${scopeForms}. Other values are ignored.`),
  OIDC_GROUP_SCOPES: z
    .string()
    .transform((text, context) => {
      const parsed = groupScopesSchema.safeParse(parseJson(text))
      if (parsed.success) return parsed.data
      context.addIssue({ code: "custom", message: 'must be JSON such as {"webhook-operators":["operate"]}' })
      return z.NEVER
    })
    .optional()
    .describe(
      'Scopes of the groups that OIDC_SCOPES_CLAIM lists, as JSON: {"webhook-operators":["operate"]}. With it, the claim\'s values are names of groups, and never scopes.',
    ),
  SIGN_IN_WITH_KEY: booleanVariable(
    "Whether API keys, and the links that they create, sign in to the web console. Set it to false if all users have OpenID Connect.",
    "true",
  ),
  SESSION_MAX_AGE: durationVariable("12h", "How long a session of the web console lasts at most.", {
    min: "5m",
    max: "24h",
  }),
  SESSION_IDLE: durationVariable("2h", "A session ends when it was not used for this time.", { min: "5m" }),
  SMTP_URL: z
    .string()
    .refine(
      isSmtpUrl,
      "must be smtp:// or smtps:// with a host, and percent-encoded user and password if any",
    )
    .optional()
    .meta({
      description:
        "Server for e-mails, such as smtp://user:password@mail.example:587 (STARTTLS) or smtps://… (TLS from the start). With a password, TLS is required, except to a loopback address. Default: no e-mail is sent. Needs SMTP_FROM.",
      secret: true,
    }),
  SMTP_FROM: emailAddressSchema.optional().describe("Address from which e-mails are sent. Needs SMTP_URL."),
  OPERATOR_EMAILS: listVariable(operatorEmails)
    .pipe(z.array(emailAddressSchema).max(20, "must have at most 20 addresses"))
    .prefault("")
    .describe(operatorEmails),
  CONTACT_MAIL_AFTER: durationVariable(
    "15m",
    "How long a channel has failed when its contact gets an e-mail. Dead deliveries are reported after a minute.",
  ),
  API_KEY_MAX_AGE: durationSchema
    .optional()
    .describe(
      "How long an API key may be valid, such as 90d. Older keys expire, those included that exist already. Default: no limit.",
    ),
  API_REQUESTS_PER_MINUTE: countVariable(
    3_000,
    { min: 1, max: 1_000_000 },
    "How many requests per minute an API key with the scope read, operate, personal-data or admin may send to one console: 10 at once, then evenly. A request waits up to 4 s for its turn; those that would wait longer get 429.",
  ),
  API_PARTNER_REQUESTS_PER_MINUTE: countVariable(
    300,
    { min: 1, max: 1_000_000 },
    "The same for all other API keys: those of partners, site owners and publishers.",
  ),
  RETENTION: durationVariable(
    "30d",
    "How long dispatchers store deliveries: use their value. A reconciliation checks only younger events.",
    retentionBounds,
  ),
  AUDIT_RETENTION: durationVariable(
    "365d",
    "How long the audit log is kept. At least 90d, so that nobody can shorten it after a misuse.",
    { min: "90d", max: "3650d" },
  ),
  ...channelEgressVariables,
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "IP ranges (CIDR, separated by commas) in which executors of `delegate` connections may be, with http too. Use the scheduler's value.",
  ),
}

const groupScopesSchema = z.record(z.string().min(1), z.array(scopeSchema).min(1))

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || /[?#]/.test(text)) return false
  try {
    return [url.username, url.password].every((part) => decodeURIComponent(part) !== undefined)
  } catch {
    return false
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase()
}
