type Labels = Record<string, string>
export type RangeSeries = { labels: Labels; values: [seconds: number, value: number][] }

export async function readFiringAlerts(url: string): Promise<Set<string>> {
  const { alerts } = await get<{ alerts: { state: string; labels: Labels }[] }>(`${url}/api/v1/alerts`)
  return new Set(alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname ?? ""))
}

export async function queryRange(
  url: string,
  expr: string,
  { from, to, stepSeconds }: { from: Date; to: Date; stepSeconds: number },
): Promise<RangeSeries[]> {
  const parameters = new URLSearchParams({
    query: expr,
    start: from.toISOString(),
    end: to.toISOString(),
    step: String(stepSeconds),
  })
  const { result } = await get<{ result: { metric: Labels; values: [number, string][] }[] }>(
    `${url}/api/v1/query_range?${parameters}`,
  )
  return result.map(({ metric, values }) => ({
    labels: metric,
    values: values.map(([seconds, value]) => [seconds, Number(value)]),
  }))
}

async function get<T>(address: string): Promise<T> {
  const response = await fetch(address)
  const answer = (await response.json()) as { status: string; data: T; error?: string }
  if (answer.status !== "success") throw new Error(`Prometheus: ${answer.error}`)
  return answer.data
}
