export type ServerEvent = { event: string; data: string }

/** The events of a response in the format of server-sent events. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of body) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map(parseField))
      const event = fields.get("event")
      const data = fields.get("data")
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(": ")
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 2)]
}
