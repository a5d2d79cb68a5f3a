import { createServer } from "node:http"
import { listen, portVariable, runService } from "@sitewire/runtime"
import { z } from "zod"
import { createPartner } from "./createPartner.ts"

await runService({
  name: "demo-partner",
  variables: {
    PARTNER_PORT: portVariable(8095, "The demo partner."),
    PARTNER_SECRETS: z
      .string()
      .default("{}")
      .transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text)))
      .meta({ description: "Signing secrets by channel, as JSON.", secret: true }),
  },
  checks: [],
  async start({ config, lifecycle, announce }) {
    const server = createServer(createPartner(config.PARTNER_SECRETS))
    const port = await listen(server, "127.0.0.1", config.PARTNER_PORT, "PARTNER_PORT")
    lifecycle.onStop("partner", async () => server.closeAllConnections())
    announce({ partner: `http://127.0.0.1:${port}` })
  },
})
