import { type Config, ConfigurationError, isLoopback } from "@sitewire/runtime"
import { createTransport } from "nodemailer"
import type { consoleVariables } from "../config.ts"

export type Mail = { to: readonly string[]; subject: string; text: string }

/**
 * `rejected`: how many of several addresses the server did not accept. `why` has codes only, because texts of the library and
 * of the server repeat addresses. `isRecipients`: the server works, and rejected every address.
 */
type Sent = { kind: "sent"; rejected: number } | { kind: "failed"; why: string; isRecipients: boolean }

export type Mailer = (mail: Mail) => Promise<Sent>

type MailConfig = Pick<Config<typeof consoleVariables>, "SMTP_URL" | "SMTP_FROM" | "OPERATOR_EMAILS">

/** Each step of a connection to the server may take this long. */
const stepMs = 10_000
/** A whole e-mail, so that a server that sends a byte now and then is left, too. Less than the first delay of a claim. */
const mailMs = 20_000

/** Null: no e-mail is sent. */
export function openMailer(config: MailConfig, timeouts = { stepMs, mailMs }): Mailer | null {
  const { SMTP_URL: url, SMTP_FROM: from, OPERATOR_EMAILS: operators } = config
  if (url === undefined && from === undefined && operators.length === 0) return null
  if (url === undefined || from === undefined) {
    throw new ConfigurationError(
      "The configuration is wrong: SMTP_URL and SMTP_FROM must be set together, and OPERATOR_EMAILS needs both.",
    )
  }
  const { stepMs: timeout } = timeouts
  const transport = createTransport({
    ...serverOf(new URL(url)),
    connectionTimeout: timeout,
    dnsTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ to, subject, text }) => {
    try {
      const { rejected } = await transport.sendMail({
        from: { name: "", address: from },
        to: to.map((address) => ({ name: "", address })),
        subject,
        text,
        headers: { "Auto-Submitted": "auto-generated" },
        signal: AbortSignal.timeout(timeouts.mailMs),
      })
      return { kind: "sent", rejected: rejected.length }
    } catch (error) {
      return { kind: "failed", ...describe(error) }
    }
  }
}

function serverOf({ protocol, hostname, port, username, password }: URL) {
  const secure = protocol === "smtps:"
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // Otherwise whoever is between could take the offer of TLS away, and read the password.
    requireTLS: !secure && username !== "" && !isLoopback(hostname),
    ...(username !== "" && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
  }
}

function describe(error: unknown): { why: string; isRecipients: boolean } {
  const { code, responseCode, command } = error as {
    code?: unknown
    responseCode?: unknown
    command?: unknown
  }
  const parts = [code, responseCode].filter(
    (part) => typeof part === "number" || /^E[A-Z0-9]+$/.test(String(part)),
  )
  return { why: parts.join(" ") || "unknown", isRecipients: command === "RCPT TO" }
}
