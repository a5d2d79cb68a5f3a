import type { SnippetLanguage } from "@sitewire/contracts"
import { markProcessed, storeInInbox, takeFromInbox, upsertSite } from "./receiverSql.ts"

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
        @RequestHeader(name = "X-Sitewire-Signature", required = false) String header,
        @RequestHeader(name = "X-Sitewire-Delivery", defaultValue = "") String delivery) throws Exception {
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
var event struct {
	SiteURL                string \`json:"site_url"\`
	Reference, Name, Email string
}
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

/** After the signature was verified. */
export const processOnce: Snippets = {
  node: `// The site's URL is the key, and a correction is an update. A late retry has a smaller delivery id.
await db.query(
  \`${upsertSite}\`,
  [event.site_url, event.reference, event.name, event.email, req.get("X-Sitewire-Delivery") ?? ""],
)
res.sendStatus(204)
`,
  python: `# The site's URL is the key, and a correction is an update. A late retry has a smaller delivery id.
cursor.execute(
    """${inFormat(upsertSite)}""",
    (event["site_url"], event["reference"], event["name"], event["email"], request.headers.get("X-Sitewire-Delivery", "")),
)
connection.commit()
return "", 204
`,
  java: `// The site's URL is the key, and a correction is an update. A late retry has a smaller delivery id.
jdbc.update("""
    ${inTextBlock(upsertSite)}""",
    event.get("site_url").asText(), event.get("reference").asText(),
    event.get("name").asText(), event.get("email").asText(), delivery);
return ResponseEntity.noContent().build();
`,
  go: `// The site's URL is the key, and a correction is an update. A late retry has a smaller delivery id.
_, err = db.Exec(\`${upsertSite}\`,
	event.SiteURL, event.Reference, event.Name, event.Email, r.Header.Get("X-Sitewire-Delivery"))
if err != nil {
	w.WriteHeader(http.StatusInternalServerError)
	return
}
w.WriteHeader(http.StatusNoContent)
`,
  php: `// The site's URL is the key, and a correction is an update. A late retry has a smaller delivery id.
$pdo->prepare('${inJdbc(upsertSite)}')
    ->execute([$event['site_url'], $event['reference'], $event['name'], $event['email'],
        $_SERVER['HTTP_X_SITEWIRE_DELIVERY'] ?? '']);
http_response_code(204);
`,
}

/** After the signature was verified. */
export const processLater: Snippets = {
  node: `await db.query(
  \`${storeInInbox}\`,
  [event.site_url, req.get("X-Sitewire-Delivery") ?? "", req.body.toString("utf8")],
)
res.sendStatus(204)

// A worker, with a connection of its own. The work is in the same transaction: a crash in between undoes both.
await connection.query("begin")
const { rows } = await connection.query("${takeFromInbox}")
for (const { site_url, body } of rows) {
  await work(connection, JSON.parse(body))
  await connection.query("${markProcessed}", [site_url])
}
await connection.query("commit")
`,
  python: `cursor.execute(
    """${inFormat(storeInInbox)}""",
    (event["site_url"], request.headers.get("X-Sitewire-Delivery", ""), body.decode()),
)
connection.commit()
return "", 204

# A worker, with a connection of its own. The work is in the same transaction: a crash in between undoes both.
with connection.transaction(), connection.cursor() as cursor:
    cursor.execute("${takeFromInbox}")
    for site_url, body in cursor.fetchall():
        work(cursor, json.loads(body))
        cursor.execute("${inFormat(markProcessed)}", (site_url,))
`,
  java: `jdbc.update("""
    ${inTextBlock(storeInInbox)}""",
    event.get("site_url").asText(), delivery, new String(body, UTF_8));
return ResponseEntity.noContent().build();

// A worker. The work is in the same transaction: a crash in between undoes both.
transactionTemplate.executeWithoutResult(status -> {
    for (Map<String, Object> row : jdbc.queryForList("${takeFromInbox}")) {
        work((String) row.get("body"));
        jdbc.update("${inJdbc(markProcessed)}", row.get("site_url"));
    }
});
`,
  go: `_, err = db.Exec(\`${storeInInbox}\`,
	event.SiteURL, r.Header.Get("X-Sitewire-Delivery"), string(body))
if err != nil {
	w.WriteHeader(http.StatusInternalServerError)
	return
}
w.WriteHeader(http.StatusNoContent)

// A worker. The work is in the same transaction: a crash in between undoes both.
tx, err := db.Begin()
if err != nil {
	return err
}
defer tx.Rollback()
var siteURL, body string
if err := tx.QueryRow("${takeFromInbox}").Scan(&siteURL, &body); err != nil {
	return err // sql.ErrNoRows: there is nothing to do
}
if err := work(tx, body); err != nil {
	return err
}
if _, err := tx.Exec("${markProcessed}", siteURL); err != nil {
	return err
}
return tx.Commit()
`,
  php: `$pdo->prepare('${inJdbc(storeInInbox)}')
    ->execute([$event['site_url'], $_SERVER['HTTP_X_SITEWIRE_DELIVERY'] ?? '', $body]);
http_response_code(204);

// A worker. The work is in the same transaction: a crash in between undoes both.
$pdo->beginTransaction();
foreach ($pdo->query('${takeFromInbox}')->fetchAll() as $row) {
    work($pdo, json_decode($row['body'], true));
    $pdo->prepare('${inJdbc(markProcessed)}')
        ->execute([$row['site_url']]);
}
$pdo->commit();
`,
}

/** With the placeholders of psycopg. */
function inFormat(sql: string): string {
  return sql.replaceAll(/\$\d/g, "%s")
}

/** With the placeholders of JDBC and PDO. */
function inJdbc(sql: string): string {
  return sql.replaceAll(/\$\d/g, "?")
}

/** As `inJdbc`, in a text block of Java that is indented by four spaces. */
function inTextBlock(sql: string): string {
  return inJdbc(sql).replaceAll("\n", "\n    ")
}
