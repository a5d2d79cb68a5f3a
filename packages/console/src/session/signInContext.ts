import type { SignInMethods } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { PrismaClient } from "@sitewire/database/prisma"
import { Counter, type Logger, type Registry } from "@sitewire/runtime"
import type { OpenIdProvider } from "../oidc/openIdProvider.ts"
import type { ConsoleOrigin } from "./consoleOrigin.ts"
import { limitSignIns, type SignInLimit } from "./limitSignIns.ts"

type Method = "key" | "link" | "oidc"

export type SignInContext = {
  prisma: PrismaClient
  sql: Sql
  sealingKeys: SealingKeys
  consoleOrigin: ConsoleOrigin
  /** Null: OpenID Connect is not configured. */
  provider: OpenIdProvider | null
  methods: SignInMethods
  limit: SignInLimit
  count(method: Method, outcome: "accepted" | "rejected" | "limited" | "unavailable"): void
  log: Logger
}

export function createSignInContext(
  settings: Omit<SignInContext, "methods" | "limit" | "count"> & { metrics: Registry },
): SignInContext {
  const { metrics, ...context } = settings
  const signIns = new Counter({
    name: "sitewire_console_sign_ins_total",
    help: "Sign-ins to the web console, by method and outcome.",
    labelNames: ["method", "outcome"],
    registers: [metrics],
  })
  return {
    ...context,
    methods: { key: true, oidc: context.provider !== null },
    limit: limitSignIns(),
    count: (method, outcome) => signIns.inc({ method, outcome }),
  }
}
