import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import type { Conditions } from '../admin/conditions.ts';
import type { Traffic } from '../admin/traffic.ts';
import { Failure } from '../domain/failure.ts';

/** Applies the vendor's current conditions to a request: it may wait, or get 503. */
export function conditionsGate(conditions: Conditions): RequestHandler {
  return async (_req, _res, next) => {
    if (conditions.delayMs > 0) await delay(conditions.delayMs, undefined, { ref: false });
    const downForSeconds = conditions.downForSeconds();
    if (downForSeconds === undefined) return next();
    const headers = downForSeconds === null ? {} : { 'retry-after': String(downForSeconds) };
    throw new Failure(503, 'unavailable', 'The sandbox CRM is down for maintenance.', { headers });
  };
}

/** Counts an API call, and responds with 429 if the rate limit is used up. */
export function rateGate(conditions: Conditions, traffic: Traffic): RequestHandler {
  return (_req, _res, next) => {
    traffic.countApiCall();
    const waitSeconds = conditions.admit();
    if (waitSeconds === 0) return next();
    throw new Failure(429, 'rate_limited', `Too many requests; try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    });
  };
}
