import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const REGION = 'eu-central-1';
const aws = (
  slug: string,
  host: string,
  respond: (request: ReceivedRequest, count: number) => TestResponse,
) =>
  shippedConnector(slug, {
    origin: `https://${host}.{{field.region}}.amazonaws.com`,
    authenticationId: 0,
    fields: { accessKeyId: 'AKIDEXAMPLE0000000', secretAccessKey: 's3cr3t', region: REGION },
    respond,
  });

const signed = (service: string, headers: string): RegExp =>
  new RegExp(
    `^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE0000000/\\d{8}/${REGION}/${service}/aws4_request, SignedHeaders=${headers}, Signature=[0-9a-f]{64}$`,
  );

it('lists queues page after page, each request signed anew', async () => {
  const { server, call } = await aws('sqs', 'sqs', (_request, count) => ({
    body: count === 1 ? { QueueUrls: ['q1'], NextToken: 'more' } : { QueueUrls: ['q2'] },
  }));
  expect(await call('sqs-list-queues', {}, { top: 5 })).toMatchObject({ output: { items: ['q1', 'q2'] } });
  expect(server.requests.map(({ body }) => body)).toEqual([
    '{"MaxResults":5}',
    '{"MaxResults":5,"NextToken":"more"}',
  ]);
  const signatures = server.requests.map(({ headers }) => headers['authorization']);
  for (const signature of signatures)
    expect(signature).toMatch(signed('sqs', 'content-type;host;x-amz-date;x-amz-target'));
  expect(new Set(signatures).size).toBe(2);
  expect(server.requests[0]?.headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AmazonSQS.ListQueues',
  });
});

it('an empty queue has no messages, and a refusal has the words of AWS', async () => {
  const { call } = await aws('sqs', 'sqs', (_request, count) =>
    count === 1
      ? { body: {} }
      : { status: 400, body: { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'No such queue.' } },
  );
  expect(await call('sqs-receive-messages', { queueUrl: 'q' })).toMatchObject({ output: { items: [] } });
  expect(await call('sqs-receive-messages', { queueUrl: 'q' })).toMatchObject({
    errorMessage: 'Amazon SQS responded with 400: No such queue.',
  });
});

it('reads a DynamoDB table by the name of the last one', async () => {
  const { server, call } = await aws('dynamodb', 'dynamodb', (_request, count) => ({
    body: count === 1 ? { TableNames: ['a'], LastEvaluatedTableName: 'a' } : { TableNames: ['b'] },
  }));
  expect(await call('dynamodb-list-tables', {}, { top: 5 })).toMatchObject({ output: { items: ['a', 'b'] } });
  expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual({ Limit: 5, ExclusiveStartTableName: 'a' });
});

it('runs a Lambda function and returns what it answers', async () => {
  const { server, call } = await aws('lambda', 'lambda', () => ({ body: { total: 3 } }));
  const fields = { function: 'arn:aws:lambda:eu-central-1:1:function:sum', payload: { a: 1 } };
  expect(await call('lambda-invoke-function', fields)).toMatchObject({
    output: { status: 200, body: { total: 3 } },
  });
  expect(server.requests[0]).toMatchObject({
    path: '/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-central-1%3A1%3Afunction%3Asum/invocations',
    body: '{"a":1}',
    headers: { 'x-amz-invocation-type': 'RequestResponse' },
  });
  expect(server.requests[0]?.headers['authorization']).toMatch(
    signed('lambda', 'content-type;host;x-amz-date;x-amz-invocation-type'),
  );
});

it('sends an e-mail with the parts that are given', async () => {
  const { server, call } = await aws('ses', 'email', () => ({ body: { MessageId: 'm1' } }));
  const fields = { from: 'a@example.com', to: ['b@example.com'], subject: 'Hi', text: 'Hello' };
  expect(await call('ses-send-email', fields)).toMatchObject({ output: { MessageId: 'm1' } });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    FromEmailAddress: 'a@example.com',
    Destination: { ToAddresses: ['b@example.com'] },
    Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' } } } },
  });
});
