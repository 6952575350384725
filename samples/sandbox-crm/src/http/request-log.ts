import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Traffic } from '../admin/traffic.ts';

/**
 * Records every request for the admin page and writes one log line. Queries outside the API are omitted, because they can contain codes.
 */
export function requestLog(log: Logger, traffic: Traffic): RequestHandler {
  return (req, res, next) => {
    const startedAt = new Date();
    const startedMs = performance.now();
    const [path = '', query] = req.originalUrl.split('?');
    const target = path.startsWith('/api/') && query !== undefined ? `${path}?${query}` : path;
    res.on('close', () => {
      const entry = {
        method: req.method,
        path: target,
        status: res.statusCode,
        durationMs: Math.round(performance.now() - startedMs),
      };
      // Requests of the admin page itself are not recorded, because its users look for other traffic.
      if (!path.startsWith('/admin') && path !== '/healthz')
        traffic.record({ at: startedAt.toISOString(), ...entry });
      log.info(entry, 'request');
    });
    next();
  };
}
