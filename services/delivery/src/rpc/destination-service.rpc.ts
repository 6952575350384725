import type { ServiceImpl } from '@connectrpc/connect';
import type { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { createDestination } from '../use-cases/create-destination.ts';
import { deleteDestination } from '../use-cases/delete-destination.ts';
import { findDestinations } from '../use-cases/find-destinations.ts';
import { getDestination } from '../use-cases/get-destination.ts';
import { listDestinations } from '../use-cases/list-destinations.ts';
import { rotateSecret } from '../use-cases/rotate-secret.ts';
import { sendTest } from '../use-cases/send-test.ts';
import { updateDestination } from '../use-cases/update-destination.ts';
import { fromCreateRequest, fromUpdateRequest, toDestinationMessage } from './convert-destination.ts';

/** DestinationService of proto/fairlead/delivery/v1 over the use cases. */
export function createDestinationService(
  deps: DepsOf<
    | typeof listDestinations
    | typeof findDestinations
    | typeof getDestination
    | typeof createDestination
    | typeof updateDestination
    | typeof rotateSecret
    | typeof sendTest
    | typeof deleteDestination
  >,
): ServiceImpl<typeof DestinationService> {
  return {
    async listDestinations({ page }, h) {
      const { items, totalCount } = await listDestinations(deps, requestContext(h), readPage(page));
      return { items: items.map(toDestinationMessage), totalCount };
    },
    async findDestinations({ ids }, h) {
      return { ids: [...(await findDestinations(deps, requestContext(h), ids))] };
    },
    async getDestination({ id }, h) {
      return { destination: toDestinationMessage(await getDestination(deps, requestContext(h), id)) };
    },
    async createDestination(request, h) {
      const created = await createDestination(deps, requestContext(h), fromCreateRequest(request));
      return {
        destination: toDestinationMessage(created.destination),
        signingSecret: created.secret.reveal(),
      };
    },
    async updateDestination(request, h) {
      const change = fromUpdateRequest(request);
      const updated = await updateDestination(deps, requestContext(h), request.id, change);
      return { destination: toDestinationMessage(updated) };
    },
    async rotateSecret({ id }, h) {
      const { destination, secret } = await rotateSecret(deps, requestContext(h), id);
      return { destination: toDestinationMessage(destination), signingSecret: secret.reveal() };
    },
    async sendTest(request, h) {
      const { verdict, statusCode, error } = await sendTest(deps, requestContext(h), request);
      return {
        delivered: verdict === 'delivered',
        ...(statusCode !== null && { statusCode }),
        ...(error !== null && { error }),
      };
    },
    async deleteDestination({ id }, h) {
      await deleteDestination(deps, requestContext(h), id);
      return {};
    },
  };
}
