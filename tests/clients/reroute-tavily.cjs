// tavily-mcp has no setting for its server: this preload sends what is meant for api.tavily.com to a gateway instead.
const http = require('node:http');
const https = require('node:https');

const gateway = new URL(process.env.HEADGATE_TEST_GATEWAY);
const secure = https.request;

https.request = function request(first, second, third) {
  const options =
    typeof first === 'string' || first instanceof URL ? { ...urlOptions(first), ...second } : first;
  const callback = typeof second === 'function' ? second : third;
  if ((options.hostname ?? options.host) !== 'api.tavily.com') return secure.apply(https, arguments);
  return http.request(
    {
      ...options,
      protocol: 'http:',
      host: gateway.hostname,
      hostname: gateway.hostname,
      port: gateway.port,
      agent: undefined,
      agents: undefined,
      headers: { ...options.headers, host: gateway.host },
    },
    callback,
  );
};

function urlOptions(url) {
  const { hostname, port, pathname, search, protocol } = new URL(url);
  return { hostname, port, path: pathname + search, protocol };
}
