import type { RequestContext } from '@fairlead/service-kit/context/context';

export type ChangeCause = Pick<RequestContext, 'requestId' | 'canaries'>;

/** Publishes changes of the catalogue. */
export interface CatalogueChanges {
  /**
   * Notifies this replica at once, and publishes the change to the other replicas and to services that cache the catalogue. Without an
   * account, the platform's applications changed. Never rejects.
   */
  announce(accountId: string | undefined, cause?: ChangeCause): Promise<void>;
}
