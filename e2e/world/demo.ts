// `npm run demo`: a server with example data, until Ctrl-C.
import { createWorld, seedWorld } from './world.ts';

const world = await createWorld();
await seedWorld(world);
process.stdout.write(`A server with example data is at ${world.url} (namespace operations). Ctrl-C ends it and removes its data.\n`);
const end = () => void world.dispose().then(() => process.exit(0));
process.on('SIGINT', end);
process.on('SIGTERM', end);
