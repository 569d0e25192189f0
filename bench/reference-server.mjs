// Reference of the REST figures: the same body served by bare node:http and by bare express, each in its own process.
// Usage: node bench/reference-server.mjs node|express  → prints its URL. GET answers the body; POST reads and parses one, and answers it.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [kind, bodyFile = ''] = process.argv.slice(2);
const resource = JSON.parse(readFileSync(bodyFile, 'utf8'));
const listen = (server) => server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

if (kind === 'express') {
  const express = createRequire(new URL('../server/package.json', import.meta.url))('express');
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/resource', (_, response) => response.json(resource));
  app.post('/resource', express.json(), (request, response) => response.status(201).json(request.body));
  listen(createServer(app));
} else {
  const send = (response, status, value) => {
    const text = JSON.stringify(value);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
  listen(
    createServer((request, response) => {
      if (request.method === 'GET') return send(response, 200, resource);
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => send(response, 201, JSON.parse(Buffer.concat(chunks).toString())));
    }),
  );
}
