const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * The rules with all durations divided by `divisor`, so that alerts fire within seconds: `for`, ranges (between 3 and
 * 30 seconds), the ages that they compare, and the numbers of failures, of which there are few within seconds.
 */
export function shortenRules(rules: string, divisor: number): string {
  const shorten = (amount: string, unit: string, least: number, most: number) => {
    const seconds = (Number(amount) * secondsOf[unit as keyof typeof secondsOf]) / divisor
    return Math.round(Math.min(most, Math.max(least, seconds)))
  }
  return (
    rules
      .replaceAll(/\[(\d+)([smhd])\]/g, (_, amount, unit) => `[${shorten(amount, unit, 3, 30)}s]`)
      .replaceAll(/ for: (\d+)([smhd])/g, (_, amount, unit) => ` for: ${shorten(amount, unit, 2, 30)}s`)
      .replaceAll(/> (10|5)$/gm, "> 1")
      // Buckets of the same histograms.
      .replaceAll("75|75.0", "3|3.0")
      .replaceAll("15|15.0", "1|1.0")
      .replaceAll("> bool 60", "> bool 2.5")
      .replaceAll(/_seconds\) > (\d+)$/gm, (_, age) => `_seconds) > ${ageOf(Number(age), divisor)}`)
  )
}

const ageOf = (age: number, divisor: number) => Math.max(2.5, Math.round((age * 4) / divisor))
