import fc from "fast-check"

export const events = 8
const channel = fc.constantFrom<string[]>("c0", "c1")
const index = fc.nat({ max: 7 })
const by = fc.constantFrom("A" as const, "B" as const)
const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 5)
const mostly = rarely.map((is) => !is)
const reason = fc.constantFrom("busy" as const, "breaker" as const, "paused" as const, "fault" as const)
/** The delivery whose rows another transaction has locked meanwhile. */
const locked = fc.option(index, { freq: 6, nil: null })
/** The statement is committed, but its response is lost, so that it is repeated. */
const twice = rarely
const few = fc.integer({ min: 1, max: 3 })

/** Kinds of steps, with how often each is chosen, and what it needs. Everything that dispatchers, operators, clocks and kills do. */
const kinds = {
  consume: [24, { by, event: index, again: rarely }],
  claim: [24, { by, waiting: index, most: few, fromNow: rarely, lost: rarely, locked }],
  wake: [
    24,
    {
      ...{
        by,
        records: fc.array(index, { minLength: 1, maxLength: 3 }),
        onTime: mostly,
        lost: rarely,
        locked,
      },
      /** The records are of the attempts after those that the rows wait for: Postgres was restored. */
      ahead: rarely,
    },
  ],
  end: [
    40,
    {
      ...{ flight: index, most: few, twice, locked },
      response: fc.constantFrom(...(["accepted", "failed", "failed", "failed", "busy"] as const)),
      /** Whether the records that wake what is scheduled are lost. */
      unpublished: rarely,
      /** Another erasure was requested meanwhile. */
      staleErasures: rarely,
      covered: rarely,
    },
  ],
  release: [8, { flight: index, reason, twice, locked }],
  kill: [2, { by }],
  makeDue: [8, { twice, locked }],
  pass: [6, { ms: fc.constantFrom<number[]>(1, 1_000, 3_000, 30_000, 60_000, 700_000) }],
  passUntilDue: [6, { early: fc.constantFrom<number[]>(0, 1, 5_000, 5_001, -2_000, -2_001) }],
  passUntilLeaseEnds: [5, { late: fc.constantFrom<number[]>(0, 1) }],
  setClock: [2, { ms: fc.constantFrom<number[]>(-7_200_000, -30_000, 30_000, 7_200_000) }],
  report: [8, { waiting: index, ms: fc.constantFrom<number[]>(5_000, 60_000, 1_000_000), twice }],
  expire: [10, { waiting: index, fromNow: rarely, twice, locked }],
  resend: [8, { deliveries: fc.array(index, { minLength: 1, maxLength: 2 }) }],
  cancel: [4, { delivery: index, twice }],
  erase: [2, { deliveries: fc.array(index, { minLength: 1, maxLength: 2 }), twice }],
  pause: [2, { channel }],
  resume: [2, { channel }],
  deleteChannel: [1, { channel }],
  endDeleted: [3, { twice, locked }],
  deleteOld: [1, {}],
} satisfies Record<string, [number, Record<string, fc.Arbitrary<unknown>>]>

type Values<Arbitraries> = {
  [Key in keyof Arbitraries]: Arbitraries[Key] extends fc.Arbitrary<infer T> ? T : never
}
export type Step = {
  [Kind in keyof typeof kinds]: { do: Kind } & Values<(typeof kinds)[Kind][1]>
}[keyof typeof kinds]

const step = fc.oneof(
  ...Object.entries(kinds).map(([kind, [weight, values]]) => ({
    weight,
    arbitrary: fc.record({ do: fc.constant(kind), ...values }) as unknown as fc.Arbitrary<Step>,
  })),
)

export const histories = fc.array(step, { minLength: 1, maxLength: 100, size: "max" })
