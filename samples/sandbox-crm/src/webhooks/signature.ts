import { createHmac } from 'node:crypto';

/**
 * The headers that authenticate a delivery: `x-crm-timestamp`, Unix seconds, and `x-crm-signature`, `sha256=` and the hexadecimal
 * HMAC-SHA256 of `<timestamp>.<body>` under the subscription's secret.
 */
export function signatureHeaders(secret: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const hmac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-crm-timestamp': timestamp, 'x-crm-signature': `sha256=${hmac}` };
}
