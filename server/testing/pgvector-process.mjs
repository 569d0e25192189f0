// Program of a PostgreSQL with pgvector for tests: PGlite over a socket, in a process of its own because it computes for seconds at a time.
// Messages: { id, query } runs SQL, { id, pause } ends the connections and takes no more, { id, resume } takes them again.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const db = await PGlite.create({ extensions: { vector } });

/** @param {number} port */
const listen = async (port) => {
  const socket = new PGLiteSocketServer({ db, port, host: '127.0.0.1' });
  await socket.start();
  return socket;
};
let socket = await listen(0);
const port = Number(socket.getServerConn().split(':').at(-1));

/** @param {{ query?: string, pause?: boolean }} message */
const perform = async ({ query, pause }) => {
  if (query !== undefined) return (await db.query(query)).rows;
  if (pause) await socket.stop();
  else socket = await listen(port);
  return undefined;
};

process.on('message', (/** @type {{ id: number, query?: string, pause?: boolean }} */ message) => {
  perform(message).then(
    (rows) => process.send?.({ id: message.id, rows }),
    (/** @type {Error} */ error) => process.send?.({ id: message.id, problem: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ id: 0, rows: port });
