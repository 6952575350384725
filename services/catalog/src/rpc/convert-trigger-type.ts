import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { encodeTriggerType } from '@fairlead/connector-model/codec';
import { TRIGGER_KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { TriggerTypeSchema } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import type { TriggerType } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import { ResolveTriggerTypeResponseSchema } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import type {
  ListTriggerTypesRequest,
  ResolveTriggerTypeResponse,
} from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { readPage } from '@fairlead/service-kit/page';
import type { CataloguedTriggerType, TriggerTypeView } from '../domain/application.ts';
import type { TriggerTypeQuery } from '../use-cases/list-trigger-types.ts';

/** Decodes the list request; VALIDATION_ERROR naming the field. */
export function fromListTriggerTypesRequest(request: ListTriggerTypesRequest): TriggerTypeQuery {
  return {
    applicationSlug: request.applicationSlug,
    search: request.search,
    page: readPage(request.page),
  };
}

/** Encodes a trigger type. Its times are those of its application, because they change together. */
export function toTriggerType({ application, triggerType, score }: TriggerTypeView): TriggerType {
  return create(TriggerTypeSchema, {
    slug: triggerType.slug,
    name: triggerType.name,
    description: triggerType.description,
    applicationSlug: application.connector.slug,
    requiresConnection: triggerType.requiresConnection,
    kind: TRIGGER_KIND_VALUES[triggerType.kind],
    configSchemaJson: jsonBytes(triggerType.configSchema),
    payloadSchemaJson: jsonBytes(triggerType.payloadSchema),
    createdAt: timestampFromDate(application.createdAt),
    updatedAt: timestampFromDate(application.updatedAt),
    ...(score === undefined ? {} : { score }),
  });
}

/** Encodes the definition that is needed to run triggers of a type. */
export function toResolvedTriggerType({
  application,
  triggerType,
}: CataloguedTriggerType): ResolveTriggerTypeResponse {
  return create(ResolveTriggerTypeResponseSchema, {
    applicationSlug: application.connector.slug,
    applicationName: application.connector.name,
    encodedDefinition: encodeTriggerType(triggerType),
  });
}
