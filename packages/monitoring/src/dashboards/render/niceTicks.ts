/** Four to six round values from 0 to at least `highest`. */
export function niceTicks(highest: number, base: 10 | 2 = 10): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / 4
  const magnitude = base === 10 ? 10 ** Math.floor(Math.log10(rough)) : 2 ** Math.floor(Math.log2(rough))
  const factors = base === 10 ? [1, 2, 2.5, 5, 10] : [1, 2]
  const step = (factors.find((factor) => factor * magnitude >= rough) ?? base) * magnitude
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, at) => at * step)
}
