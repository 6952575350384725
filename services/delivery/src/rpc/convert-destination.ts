import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  DestinationSchema,
  DisabledReason as ReasonMessage,
} from '@fairlead/contracts/delivery/v1/destination_pb';
import type { Destination as DestinationMessage } from '@fairlead/contracts/delivery/v1/destination_pb';
import type {
  CreateDestinationRequest,
  UpdateDestinationRequest,
} from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { DEFAULT_MAX_FAILURES } from '../domain/destination.ts';
import type {
  Destination,
  DestinationChange,
  DestinationContent,
  DisabledReason,
} from '../domain/destination.ts';

const REASONS: Readonly<Record<DisabledReason, ReasonMessage>> = {
  consecutiveFailures: ReasonMessage.CONSECUTIVE_FAILURES,
  owner: ReasonMessage.OWNER,
};

/** The destination that a message asks for. */
export function fromCreateRequest(message: CreateDestinationRequest): DestinationContent {
  const { name, url, headers, isEnabled, maxConsecutiveFailures = DEFAULT_MAX_FAILURES } = message;
  return { name, url, headers, isEnabled, maxConsecutiveFailures };
}

/** The change that a message asks for. */
export function fromUpdateRequest(message: UpdateDestinationRequest): DestinationChange {
  const { name, url, headers, isEnabled, maxConsecutiveFailures } = message;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(headers !== undefined && { headers: { values: headers.values, kept: headers.kept } }),
    ...(isEnabled !== undefined && { isEnabled }),
    ...(maxConsecutiveFailures !== undefined && { maxConsecutiveFailures }),
  };
}

/** Encodes a destination. */
export function toDestinationMessage(destination: Destination): DestinationMessage {
  const { id, name, url, headerNames, disabledReason, createdAt, updatedAt } = destination;
  return create(DestinationSchema, {
    id,
    name,
    url,
    headerNames: [...headerNames],
    isEnabled: disabledReason === null,
    disabledReason: disabledReason === null ? ReasonMessage.UNSPECIFIED : REASONS[disabledReason],
    consecutiveFailures: destination.consecutiveFailures,
    maxConsecutiveFailures: destination.maxConsecutiveFailures,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}
