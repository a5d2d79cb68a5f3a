import type { Step } from "./steps.ts"

const by = "A" as const
const no = { twice: false, locked: null }
const consume = (event: number): Step => ({ do: "consume", by, event, again: false })
const end = (response: "accepted" | "failed"): Step => {
  const rest = { flight: 0, most: 1, unpublished: false, staleErasures: false, covered: false }
  return { do: "end", response, ...rest, ...no }
}
const release: Step = { do: "release", flight: 0, reason: "busy", ...no }
const claim: Step = { do: "claim", by, waiting: 0, most: 1, fromNow: false, lost: false, locked: null }
const wake = (onTime: boolean): Step => ({
  do: "wake",
  by,
  records: [0],
  onTime,
  lost: false,
  locked: null,
  ahead: false,
})
const resend: Step = { do: "resend", deliveries: [0] }
const cancel: Step = { do: "cancel", delivery: 0, twice: false }
const erase: Step = { do: "erase", deliveries: [0], twice: false }
const makeDue: Step = { do: "makeDue", ...no }
const report: Step = { do: "report", waiting: 0, ms: 1_000_000, twice: false }
const expire: Step = { do: "expire", waiting: 0, fromNow: false, ...no }
const endDeleted: Step[] = [
  { do: "deleteChannel", channel: "c0" },
  { do: "endDeleted", ...no },
]
const deleteOld: Step = { do: "deleteOld" }
const early: Step = { do: "passUntilDue", early: 5_000 }
const late: Step = { do: "pass", ms: 700_000 }

const accepted = [consume(0), end("accepted")]
const failed = [consume(0), end("failed")]
const deferred = [consume(0), release]
const retried = [resend, claim, end("failed")]

/** Ways to arrows that random histories seldom take. */
export const rareHistories: Step[][] = [
  [...accepted, resend, claim, release, claim, end("failed"), wake(true), end("accepted"), erase, deleteOld],
  [...accepted, ...retried, late, makeDue, resend, claim, erase, end("accepted")],
  [...accepted, resend, ...endDeleted, deleteOld],
  [...failed, wake(true), cancel, end("failed"), resend, claim, cancel, end("accepted")],
  [...failed, early, wake(false), release],
  [...failed, ...endDeleted, deleteOld],
  [...failed, cancel, deleteOld],
  [...failed, cancel, erase],
  [...deferred, claim, report, claim, end("failed"), cancel, end("accepted")],
  [...deferred, claim, ...endDeleted, late, ...endDeleted, end("accepted")],
  [...deferred, claim, resend, end("accepted"), report, expire],
  [...deferred, claim, report, expire, end("accepted")],
  [...deferred, claim, report, expire, end("failed")],
  [consume(0), ...failed, wake(true), end("accepted"), end("failed")],
  [...deferred, report, expire, erase],
  [...deferred, claim, late, claim, release],
  [...deferred, report, { do: "pause", channel: "c0" }, expire],
  [
    ...deferred,
    claim,
    end("failed"),
    late,
    makeDue,
    claim,
    end("failed"),
    late,
    makeDue,
    claim,
    end("failed"),
  ],
]
