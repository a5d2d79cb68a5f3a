import { secretKey } from "../src/receiver/secretKeys.ts"
import { signatureHeader } from "../src/sender/signatureHeader.ts"
import type { OptionValues } from "./options.ts"
import { UsageError } from "./usageError.ts"

export type Target = {
  url: URL
  secret: string
  retiredSecret: string | null
  stagedSecret: string | null
  channel: string
  serviceName: string
}

/** The receiver that the arguments name. Throws a UsageError, which quotes neither a URL nor a secret. */
export function readTarget(args: readonly string[], values: OptionValues, env: NodeJS.ProcessEnv): Target {
  const [text, ...more] = args
  if (text === undefined || more.length > 0) throw new UsageError("Give exactly one URL of a receiver.")
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("The receiver is not an http or https URL, such as http://localhost:3000/webhook.")
  if ((values.secret === undefined) === (values["secret-env"] === undefined))
    throw new UsageError("Give the signing secret with either --secret-env NAME or --secret SECRET.")
  const read = (option: "retired-secret-env" | "staged-secret-env") =>
    values[option] === undefined ? null : asText(readVariable(option, values[option], env))
  const serviceName = values["service-name"] ?? "Sitewire"
  try {
    signatureHeader(serviceName)
  } catch {
    throw new UsageError("The service's name must be one word of letters A-Z, a-z and digits.")
  }
  return {
    url,
    secret: asText(values.secret ?? readVariable("secret-env", values["secret-env"] ?? "", env)),
    retiredSecret: read("retired-secret-env"),
    stagedSecret: read("staged-secret-env"),
    channel: values.channel ?? "sitewire-test",
    serviceName,
  }
}

/** The secret itself, if it is given in its `whsec_` form. */
function asText(secret: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(secretKey(secret))
  } catch {
    throw new UsageError(
      "A signing secret is empty, or its whsec_ form is wrong. Give it exactly as it was shown, in either form.",
    )
  }
}

function readVariable(option: string, name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name]
  // The message does not quote the name: users mistakenly put the secret itself there.
  if (!value)
    throw new UsageError(
      `--${option} names a variable that is not set, or empty. Export it, and give its name.`,
    )
  return value
}
