// Stands between a client that has no token and `tabiya serve`, and adds the token. Everything else goes through as it is, the names
// of hosts and pages with it; where they name this proxy, they name the server then.
//
// usage: mcp_proxy.mjs PORT TOKEN

import http from 'node:http';

const [port, token] = process.argv.slice(2);
const server = http.createServer((request, response) => {
  const own = server.address().port;
  const renamed = (value) => value?.replace(new RegExp(`^(https?://)?(localhost|127\\.0\\.0\\.1):${own}$`), `$1$2:${port}`);
  const headers = { ...request.headers, authorization: `Bearer ${token}`, host: renamed(request.headers.host) };
  if (headers.origin) headers.origin = renamed(headers.origin);
  const asked = http.request({ host: '127.0.0.1', port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  request.pipe(asked);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
