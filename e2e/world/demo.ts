// `npm run demo`: a furnished server, until Ctrl-C.
import { createWorld, furnish } from './world.ts';

const world = await createWorld();
await furnish(world);
process.stdout.write(`A furnished server is at ${world.url} (namespace operations). Ctrl-C ends it and removes its data.\n`);
const end = () => void world.dispose().then(() => process.exit(0));
process.on('SIGINT', end);
process.on('SIGTERM', end);
