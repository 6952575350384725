import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { GenMessage, GenService } from '@bufbuild/protobuf/codegenv2';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { Code } from '@connectrpc/connect';

/** A header or trailer with all of its values. */
export type Header = Message & { name: string; value: string[] };

/** An RPC error as the suite describes it. */
type RpcError = Message & { code: Code; message?: string; details: Any[] };

type RequestInfo = Message & {
  requestHeaders: Header[];
  timeoutMs?: bigint;
  requests: Any[];
  connectGetInfo?: Message & { queryParams: Header[] };
};

/** A method's report about its request, and the response data that the request asked for. */
type Payload = Message & { data: Uint8Array; requestInfo?: RequestInfo };

/** The response that a method must return. */
export type ResponseDefinition = Message & {
  responseHeaders: Header[];
  response:
    | { case: 'responseData'; value: Uint8Array }
    | { case: 'error'; value: RpcError }
    | { case: undefined; value?: undefined };
  responseTrailers: Header[];
  responseDelayMs: number;
};

type UnaryRequest = Message & { responseDefinition?: ResponseDefinition; requestData: Uint8Array };
type UnaryResponse = Message & { payload?: Payload };

interface UnaryMethod {
  methodKind: 'unary';
  input: GenMessage<UnaryRequest>;
  output: GenMessage<UnaryResponse>;
}

/** The unary methods of the suite's service. */
type ConformanceService = GenService<{
  unary: UnaryMethod;
  unimplemented: UnaryMethod;
  idempotentUnary: UnaryMethod;
}>;

type ClientCompatRequest = Message & {
  testName: string;
  host: string;
  port: number;
  messageReceiveLimit: number;
  method?: string;
  requestHeaders: Header[];
  requestMessages: Any[];
  timeoutMs?: number;
  cancel?: Message & {
    cancelTiming: { case: 'afterCloseSendMs'; value: number } | { case: undefined; value?: undefined };
  };
};

type ClientCompatResponse = Message & {
  testName: string;
  result:
    | {
        case: 'response';
        value: Message & {
          responseHeaders: Header[];
          payloads: Payload[];
          error?: RpcError;
          responseTrailers: Header[];
        };
      }
    | { case: 'error'; value: Message & { message: string } };
};

type ServerCompatRequest = Message & { messageReceiveLimit: number };
type ServerCompatResponse = Message & { host: string; port: number };

/** The messages and the service of the suite that our programs use. */
export interface ConformanceProtos {
  readonly ClientCompatRequest: GenMessage<ClientCompatRequest>;
  readonly ClientCompatResponse: GenMessage<ClientCompatResponse>;
  readonly ServerCompatRequest: GenMessage<ServerCompatRequest>;
  readonly ServerCompatResponse: GenMessage<ServerCompatResponse>;
  readonly RequestInfo: GenMessage<RequestInfo>;
  readonly ConformanceService: ConformanceService;
}

const PACKAGE = 'connectrpc.conformance.v1';

/** Reads the protos from a file descriptor set, so that the tree contains no code generated from the suite. */
export function loadConformanceProtos(descriptorSetPath: string): ConformanceProtos {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptorSetPath)));
  // The message types above match the descriptors, as in generated code.
  const message = <T extends Message>(name: string): GenMessage<T> =>
    required<DescMessage>(registry.getMessage(`${PACKAGE}.${name}`), name) as GenMessage<T>;
  return {
    ClientCompatRequest: message('ClientCompatRequest'),
    ClientCompatResponse: message('ClientCompatResponse'),
    ServerCompatRequest: message('ServerCompatRequest'),
    ServerCompatResponse: message('ServerCompatResponse'),
    RequestInfo: message('ConformancePayload.RequestInfo'),
    ConformanceService: required(
      registry.getService(`${PACKAGE}.ConformanceService`),
      'ConformanceService',
    ) as ConformanceService,
  };
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The suite has no ${name}.`);
  return value;
}

/** Headers or trailers in the suite's form. */
export function fromHeaders(headers: Headers): Pick<Header, 'name' | 'value'>[] {
  return Array.from(headers, ([name, value]) => ({ name, value: value.split(', ') }));
}

/** Adds headers or trailers in the suite's form. */
export function appendHeaders(to: Headers, from: readonly Header[]): void {
  for (const { name, value } of from) for (const one of value) to.append(name, one);
}
