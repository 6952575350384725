import type { DatabaseSync } from 'node:sqlite';
import { contactType, recordTypes } from '../domain/record-types.ts';
import { Failure } from '../domain/failure.ts';
import type { CrmRecord } from '../domain/record-types.ts';
import { nowSeconds } from '../oauth/adapter.ts';
import type { OAuthEntityRepository } from '../storage/oauth-entity.repository.ts';
import type { RecordRepository } from '../storage/record.repository.ts';
import { resetSampleData } from '../storage/sample-data.ts';
import type { WebhookRepository } from '../storage/webhook.repository.ts';
import type { Workspace, WorkspaceRepository } from '../storage/workspace.repository.ts';
import { toView } from '../webhooks/subscription.ts';
import type { SubscriptionView } from '../webhooks/subscription.ts';
import type { DeliveryAttempt, WebhookSender } from '../webhooks/webhook-sender.ts';
import type { Conditions, ConditionsView } from './conditions.ts';
import type { Counters, Traffic } from './traffic.ts';

/** Summary of the vendor's state. */
export interface State {
  readonly conditions: ConditionsView;
  readonly counters: Counters;
  /** Number of active grants (sign-ins of applications). */
  readonly grants: number;
}

/** A workspace with the number of its records by path, and its newest contacts. */
export interface WorkspaceView {
  readonly workspace: Workspace;
  readonly counts: Readonly<Record<string, number>>;
  readonly newestContacts: readonly CrmRecord[];
}

/** The parts that administration works on. */
export interface AdministrationParts {
  readonly database: DatabaseSync;
  readonly entities: OAuthEntityRepository;
  readonly records: RecordRepository;
  readonly workspaces: WorkspaceRepository;
  readonly webhooks: WebhookRepository;
  readonly sender: WebhookSender;
  readonly userEmail: string;
}

const newest = { top: 5, offset: 0, filters: [], sorts: [] };

/** The operations of the admin API and of the admin page. */
export class Administration {
  readonly conditions: Conditions;
  readonly traffic: Traffic;
  readonly #parts: AdministrationParts;

  constructor(conditions: Conditions, traffic: Traffic, parts: AdministrationParts) {
    this.conditions = conditions;
    this.traffic = traffic;
    this.#parts = parts;
  }

  state(): State {
    return {
      conditions: this.conditions.view(),
      counters: this.traffic.counters(),
      grants: this.#parts.entities.countGrants(nowSeconds()),
    };
  }

  workspaces(): readonly WorkspaceView[] {
    const { workspaces, records } = this.#parts;
    return workspaces.list().map((workspace) => ({
      workspace,
      counts: Object.fromEntries(
        recordTypes.map((type) => [type.path, records.count(type, workspace.id, [])]),
      ),
      newestContacts: records.list(contactType, workspace.id, newest).items,
    }));
  }

  /** Ends the grants of everyone, or of the person with this e-mail; their tokens are refused at once. Returns how many. */
  revokeGrants(email: string | undefined): number {
    const isKnown = email === undefined || email.toLowerCase() === this.#parts.userEmail.toLowerCase();
    return isKnown ? this.#parts.entities.deleteAllGrants() : 0;
  }

  /** Expires every access token, so that clients must refresh. Returns how many were alive. */
  expireAccessTokens(): number {
    return this.#parts.entities.expireAccessTokens(nowSeconds());
  }

  /** The webhook subscriptions of all workspaces, oldest first, without their secrets. */
  webhooks(): readonly (SubscriptionView & { readonly workspaceId: string })[] {
    return this.#parts.webhooks
      .list(undefined)
      .map((subscription) => ({ ...toView(subscription), workspaceId: subscription.workspaceId }));
  }

  /** The last attempts to deliver to subscribers, newest first. */
  webhookDeliveries(): readonly DeliveryAttempt[] {
    return this.#parts.sender.attempts();
  }

  /** Deletes the subscriptions of an address, or all, as vendors sometimes do. Returns their number. */
  removeWebhooks(url: string | undefined): number {
    return this.#parts.webhooks.deleteAll(url);
  }

  /** Sends a past delivery again, with the same id and body. Throws a 404 `Failure` if it is no longer known. */
  resendWebhook(deliveryId: string): void {
    if (!this.#parts.sender.resend(deliveryId)) {
      throw new Failure(404, 'not_found', `There is no delivery '${deliveryId}' among the last ones.`);
    }
  }

  /** Restores the sample records, normal conditions and zero counters. Grants, tokens and webhooks stay. */
  reset(): void {
    resetSampleData(this.#parts.database);
    this.conditions.clear();
    this.traffic.clear();
  }
}
