import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WebhookRepository } from '../storage/webhook.repository.ts';
import { signatureHeaders } from './signature.ts';
import type { RecordChange, Subscription } from './subscription.ts';

/** One request to a subscriber, as the admin API lists it. */
export interface DeliveryAttempt {
  /** Delivery id, equal for every attempt of one delivery. */
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly event: string;
  readonly url: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Status of the response; null if none arrived. */
  readonly status: number | null;
  /** The reason why no response arrived; null if one did. */
  readonly error: string | null;
  readonly at: string;
}

interface Delivery {
  readonly id: string;
  readonly subscription: Subscription;
  readonly body: string;
  readonly attempt: number;
}

const TIMEOUT_MS = 10_000;
const MAX_PARALLEL = 16;
const KEPT = 500;

/**
 * Sends signed deliveries: at once, and again after each of `retryDelaysMs` until the subscriber answers with a 2xx or its subscription is
 * deleted. Kept in memory: deliveries that are due when the vendor stops are not sent.
 */
export class WebhookSender {
  readonly #webhooks: WebhookRepository;
  readonly #retryDelaysMs: readonly number[];
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #queue: Delivery[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #sent = new Map<string, Delivery>();
  readonly #running = new Set<Promise<void>>();
  #attempts: DeliveryAttempt[] = [];

  constructor(webhooks: WebhookRepository, retryDelaysMs: readonly number[], log: Logger) {
    this.#webhooks = webhooks;
    this.#retryDelaysMs = retryDelaysMs;
    this.#log = log;
  }

  /** Notifies all subscribers of the change. */
  report({ event, workspaceId, record }: RecordChange): void {
    for (const subscription of this.#webhooks.subscribers(workspaceId, event)) {
      const id = `evt_${randomUUID()}`;
      const occurredAt = new Date().toISOString();
      const body = JSON.stringify({ id, event, workspaceId, occurredAt, data: record });
      this.#enqueue({ id, subscription, body, attempt: 1 });
    }
  }

  /** Sends one of the last deliveries again, with the same id and body. Returns false if it is unknown. */
  resend(deliveryId: string): boolean {
    const delivery = this.#sent.get(deliveryId);
    if (delivery === undefined) return false;
    this.#enqueue({ ...delivery, attempt: delivery.attempt + 1 });
    return true;
  }

  /** The last attempts, newest first. */
  attempts(): readonly DeliveryAttempt[] {
    return this.#attempts.toReversed();
  }

  /** Aborts attempts in progress and sends nothing more. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#retries) clearTimeout(timer);
    this.#queue.length = 0;
    await Promise.all(this.#running);
  }

  #enqueue(delivery: Delivery): void {
    if (this.#stopping.signal.aborted) return;
    this.#queue.push(delivery);
    this.#work();
  }

  #work(): void {
    while (this.#running.size < MAX_PARALLEL) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return;
      const run = this.#send(delivery).finally(() => {
        this.#running.delete(run);
        this.#work();
      });
      this.#running.add(run);
    }
  }

  async #send(delivery: Delivery): Promise<void> {
    const { id, subscription, body, attempt } = delivery;
    this.#sent.delete(id);
    this.#sent.set(id, delivery);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > KEPT && oldest !== undefined) this.#sent.delete(oldest);

    const { status, error } = await this.#post(subscription, id, body);
    const { event, url } = subscription;
    const at = new Date().toISOString();
    const entry = { deliveryId: id, subscriptionId: subscription.id, event, url, attempt, status, error, at };
    this.#attempts = [...this.#attempts.slice(1 - KEPT), entry];
    if (status !== null && status >= 200 && status < 300) return;
    this.#log.info({ deliveryId: id, attempt, status, error }, 'webhook not accepted');
    const delayMs = this.#retryDelaysMs[attempt - 1];
    if (delayMs !== undefined) this.#retryAfter(delayMs, { ...delivery, attempt: attempt + 1 });
  }

  #retryAfter(delayMs: number, delivery: Delivery): void {
    if (this.#stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      if (this.#webhooks.has(delivery.subscription.id)) this.#enqueue(delivery);
    }, delayMs);
    this.#retries.add(timer);
  }

  async #post(
    { url, secret }: Subscription,
    deliveryId: string,
    body: string,
  ): Promise<Pick<DeliveryAttempt, 'status' | 'error'>> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'x-crm-delivery': deliveryId,
          ...signatureHeaders(secret, body, Date.now()),
        },
        body,
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return { status: response.status, error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? error.message : String(error) };
    }
  }
}
