/**
 * The arrows of the state diagram: for each step, the situations that it leads from and to. `resent` is delivered, and waits again. An
 * arrow to the same situation changes the row: a claim sets a lease, and an outcome that does not count its number.
 */
const of: Record<string, string> = {
  end: `none>scheduled none>delivered none>dead none>erased scheduled>scheduled scheduled>delivered scheduled>dead
    deferred>scheduled deferred>delivered deferred>dead deferred>deferred deferred>resent resent>resent resent>delivered
    cancelled>delivered cancelled>cancelled dead>delivered dead>dead delivered>delivered erased>erased`,
  claim: "deferred>deferred resent>resent",
  wake: "scheduled>scheduled resent>resent",
  release: "none>deferred scheduled>deferred scheduled>scheduled deferred>deferred resent>resent",
  makeDue: "scheduled>deferred resent>resent",
  resend:
    "scheduled>deferred deferred>deferred delivered>resent resent>resent dead>deferred cancelled>deferred",
  cancel: "scheduled>cancelled deferred>cancelled",
  erase: "scheduled>erased deferred>erased delivered>erased resent>erased dead>erased cancelled>erased",
  expire: "deferred>dead resent>delivered",
  endDeleted: "scheduled>dead deferred>dead resent>delivered",
  deleteOld: "delivered>none dead>none cancelled>none erased>none",
}

export const arrows = Object.entries(of).flatMap(([step, ways]) =>
  ways
    .split(/\s+/)
    .filter(Boolean)
    .map((way) => `${step}: ${way.replace(">", " -> ")}`),
)
