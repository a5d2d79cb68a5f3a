import { createServer } from "node:http"
import { listen, portVariable, runService } from "@sitewire/runtime"
import { createPartner } from "./createPartner.ts"

await runService({
  name: "demo-partner",
  variables: { PARTNER_PORT: portVariable(8095, "The demo partner.") },
  parts: [],
  async start({ config, lifecycle, announce }) {
    const server = createServer(createPartner())
    const port = await listen(server, "127.0.0.1", config.PARTNER_PORT, "PARTNER_PORT")
    lifecycle.onStop("partner", async () => server.closeAllConnections())
    announce({ partner: `http://127.0.0.1:${port}` })
  },
})
