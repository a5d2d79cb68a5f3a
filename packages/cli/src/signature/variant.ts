/** Something that commonly happens to a body or a secret, undone: what it would then be, and what to do about it. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/** A list so that what does not apply (`false`) is simply not in it. */
export function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

/** Those that differ from what was given and from each other; of equal ones the first, which says it best. */
export function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const same = variants.findIndex((other) => other.bytes.equals(bytes))
    return same === index && !bytes.equals(given)
  })
}
