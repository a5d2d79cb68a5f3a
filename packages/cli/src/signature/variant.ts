/** A common alteration of a body or secret, reversed. `bytes` is the presumed original. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/** A list without entries if `result` is false: the alteration cannot have happened. */
export function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

/** Removes variants equal to `given` or to an earlier variant. */
export function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const first = variants.findIndex((other) => other.bytes.equals(bytes))
    return first === index && !bytes.equals(given)
  })
}
