import { Counter, type Logger, type Registry } from "@sitewire/runtime"
import { type Claim, mostAttempts } from "./claim.ts"
import { type ContactMailContext, claimContact } from "./contactMail.ts"
import type { Mailer } from "./openMailer.ts"
import { claimOperators } from "./operatorMail.ts"

const mostPerRound = 100

type Settings = ContactMailContext & {
  mailer: Mailer
  operators: readonly string[]
  metrics: Registry
  log: Logger
}

/**
 * Returns a function that writes to operators and to contacts of channels who are due, up to a maximum, and ends early if the server
 * is unavailable. Each gets an e-mail an hour at most. Every console writes; a claim decides which one.
 */
export function createRound(settings: Settings): (signal: AbortSignal) => Promise<void> {
  const { mailer, operators, metrics, log, ...context } = settings
  const mails = new Counter({
    name: "sitewire_mails_total",
    help:
      "E-mails to operators and to contacts of channels, by outcome. partly_sent: some of the operators' addresses were rejected. " +
      "failed: tried again later. given_up: after ten attempts, the recipient was not told.",
    labelNames: ["to", "outcome"],
    registers: [metrics],
  })

  /** False: the server is probably unavailable. */
  async function deliver(to: "operators" | "contact", { attempts, mail, settle }: Claim): Promise<boolean> {
    const sent = await mailer(mail)
    if (sent.kind === "sent") {
      const { rejected } = sent
      mails.inc({ to, outcome: rejected > 0 ? "partly_sent" : "sent" })
      if (rejected > 0) log.warn({ kind: to, rejected }, "an e-mail was rejected for some of its addresses")
      await settle()
      return true
    }
    const about = { kind: to, attempt: attempts, why: sent.why }
    if (attempts < mostAttempts) {
      mails.inc({ to, outcome: "failed" })
      log.warn(about, "an e-mail could not be sent; it is tried again")
    } else {
      mails.inc({ to, outcome: "given_up" })
      log.error(about, "an e-mail could not be sent; it is given up")
      await settle()
    }
    return sent.isRecipients
  }

  return async (signal) => {
    const claims = [
      ["operators", () => claimOperators(context.sql, { addresses: operators, origin: context.origin })],
      ["contact", () => claimContact(context)],
    ] as const
    for (const [to, claim] of claims) {
      for (let count = 0; count < mostPerRound && !signal.aborted; count++) {
        const claimed = await claim()
        if (!claimed) break
        if (!(await deliver(to, claimed))) return
      }
    }
  }
}
