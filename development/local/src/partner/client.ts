import type { ReceivedDelivery, SourceFetch } from "./createPartner.ts"

export function partnerClient(url: string) {
  async function call(method: string, path: string, body?: string, type = "application/json") {
    const init = body === undefined ? {} : { body, headers: { "content-type": type } }
    const response = await fetch(`${url}${path}`, { method, ...init })
    if (!response.ok)
      throw new Error(`the demo partner responded with ${response.status} to ${method} ${path}`)
    return (response.status === 204 ? undefined : response.json()) as Promise<unknown>
  }
  const encode = encodeURIComponent
  return {
    notificationAddress: (channel: string) => `${url}/notify/${encode(channel)}`,
    sourceAddress: (name: string) => `${url}/sources/${encode(name)}`,
    setSecret: (channel: string, secret: string) =>
      call("PUT", `/channels/${encode(channel)}`, JSON.stringify({ secret })),
    failNext: (channel: string, times: number) =>
      call("POST", `/channels/${encode(channel)}/fail`, JSON.stringify({ times })),
    changeSource: (name: string, content: unknown) =>
      call("PUT", `/sources/${encode(name)}`, JSON.stringify(content), "text/plain"),
    received: (channel: string) =>
      call("GET", `/received?channel=${encode(channel)}`) as Promise<ReceivedDelivery[]>,
    fetches: (name: string) => call("GET", `/sources/${encode(name)}/fetches`) as Promise<SourceFetch[]>,
  }
}

export type PartnerClient = ReturnType<typeof partnerClient>
