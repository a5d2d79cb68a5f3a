import express from "express"
import { announce, serve } from "../../shared/serve.ts"

// The baseline of the part `accepting`: Express only responds with 202 on the gateway's route.
const app = express()
app.disable("x-powered-by")
app.post("/connectors/hook/:id/:token", (_, response) => {
  response.status(202).end()
})
announce({ gateway: (await serve(app)).origin })
