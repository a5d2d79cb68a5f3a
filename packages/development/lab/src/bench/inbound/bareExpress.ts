import express from "express"

// The baseline of the part `accepting`: Express only responds with 202 on the gateway's route.
const app = express()
app.disable("x-powered-by")
app.post("/connectors/hook/:id/:token", (_, response) => {
  response.status(202).end()
})
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  process.send?.({ addresses: { gateway: `http://127.0.0.1:${port}` }, ready: true })
})
process.once("disconnect", () => process.exit(0))
