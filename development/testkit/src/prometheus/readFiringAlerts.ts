type Labels = Record<string, string>

export async function readFiringAlerts(url: string): Promise<Set<string>> {
  const { alerts } = await get<{ alerts: { state: string; labels: Labels }[] }>(`${url}/api/v1/alerts`)
  return new Set(alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname ?? ""))
}

async function get<T>(address: string): Promise<T> {
  const response = await fetch(address)
  const answer = (await response.json()) as { status: string; data: T; error?: string }
  if (answer.status !== "success") throw new Error(`Prometheus: ${answer.error}`)
  return answer.data
}
