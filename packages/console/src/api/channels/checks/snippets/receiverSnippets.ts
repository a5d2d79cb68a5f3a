import type { SnippetLanguage } from "@sitewire/contracts"

type Snippets = Record<SnippetLanguage, string>

/** `verify` in these snippets is the function of verify.json. */
export const readRawBody: Snippets = {
  node: `// Express: before express.json() and every other body parser
app.post("/sitewire", express.raw({ type: "*/*" }), (req, res) => {
  if (!verify(req.body, req.get("X-Sitewire-Signature"), secret)) return res.sendStatus(401)
  const event = JSON.parse(req.body.toString("utf8"))
  res.sendStatus(204)
})
`,
  python: `# Flask; in Django, the raw body is request.body
@app.post("/sitewire")
def site_ready():
    body = request.get_data()
    if not verify(body, request.headers.get("X-Sitewire-Signature"), SECRET):
        return "", 401
    event = json.loads(body)
    return "", 204
`,
  java: `// Spring: byte[], not a class that Jackson fills
@PostMapping("/sitewire")
ResponseEntity<Void> siteReady(@RequestBody byte[] body,
        @RequestHeader(name = "X-Sitewire-Signature", required = false) String header) throws Exception {
    if (!Signature.verify(body, header, secret)) return ResponseEntity.status(401).build();
    JsonNode event = new ObjectMapper().readTree(body);
    return ResponseEntity.noContent().build();
}
`,
  go: `body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
if err != nil || !verify(body, r.Header.Get("X-Sitewire-Signature"), secret) {
	w.WriteHeader(http.StatusUnauthorized)
	return
}
var event struct{ Reference string }
err = json.Unmarshal(body, &event)
`,
  php: `$body = file_get_contents('php://input'); // not $_POST, and not a parsed request
if (!verify($body, $_SERVER['HTTP_X_SITEWIRE_SIGNATURE'] ?? null, $secret)) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);
`,
}

/** After the signature was verified. The table has a unique index on the delivery's id. */
export const processOnce: Snippets = {
  node: `const delivery = req.get("X-Sitewire-Delivery")
const { rowCount } = await db.query(
  "insert into processed (delivery) values ($1) on conflict do nothing", [delivery])
if (rowCount === 1) await enqueue(event)
res.sendStatus(204) // also if it was processed before
`,
  python: `delivery = request.headers["X-Sitewire-Delivery"]
cursor.execute("insert into processed (delivery) values (%s) on conflict do nothing", (delivery,))
if cursor.rowcount == 1:
    enqueue(event)
return "", 204  # also if it was processed before
`,
  java: `int inserted = jdbc.update("insert into processed (delivery) values (?) on conflict do nothing", delivery);
if (inserted == 1) queue.add(event);
return ResponseEntity.noContent().build(); // also if it was processed before
`,
  go: `result, err := db.Exec("insert into processed (delivery) values ($1) on conflict do nothing", delivery)
if err != nil {
	w.WriteHeader(http.StatusInternalServerError)
	return
}
if inserted, _ := result.RowsAffected(); inserted == 1 {
	queue <- event
}
w.WriteHeader(http.StatusNoContent) // also if it was processed before
`,
  php: `$statement = $pdo->prepare('insert into processed (delivery) values (?) on conflict do nothing');
$statement->execute([$_SERVER['HTTP_X_SITEWIRE_DELIVERY']]);
if ($statement->rowCount() === 1) {
    enqueue($event);
}
http_response_code(204); // also if it was processed before
`,
}

/** After the signature was verified. */
export const processLater: Snippets = {
  node: `await db.query("insert into inbox (delivery, body) values ($1, $2) on conflict do nothing", [delivery, body])
res.sendStatus(204) // a worker reads the inbox
`,
  python: `cursor.execute(
    "insert into inbox (delivery, body) values (%s, %s) on conflict do nothing", (delivery, body)
)
return "", 204  # a worker reads the inbox
`,
  java: `jdbc.update("insert into inbox (delivery, body) values (?, ?) on conflict do nothing", delivery, body);
return ResponseEntity.noContent().build(); // a worker reads the inbox
`,
  go: `if _, err := db.Exec("insert into inbox (delivery, body) values ($1, $2) on conflict do nothing", delivery, body); err != nil {
	w.WriteHeader(http.StatusInternalServerError)
	return
}
w.WriteHeader(http.StatusNoContent) // a worker reads the inbox
`,
  php: `$pdo->prepare('insert into inbox (delivery, body) values (?, ?) on conflict do nothing')
    ->execute([$delivery, $body]);
http_response_code(204); // a worker reads the inbox
`,
}
