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
    output: { total: 3 },
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

it('lists the objects of a bucket page after page, one of them too', async () => {
  const content = (key: string) => `<Contents><Key>${key}</Key><Size>12</Size></Contents>`;
  const { server, call } = await aws('s3', 's3', (_request, count) => ({
    headers: { 'content-type': 'application/xml' },
    body:
      count === 1
        ? `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content('a &amp; b')}<NextContinuationToken>1+=</NextContinuationToken></ListBucketResult>`
        : `<ListBucketResult>${content('1e3')}${content('c')}</ListBucketResult>`,
  }));
  expect(await call('s3-list-objects', { bucket: 'my-bucket', prefix: 'a b/' }, { top: 9 })).toMatchObject({
    output: {
      items: [
        { Key: 'a & b', Size: 12 },
        { Key: '1e3', Size: 12 },
        { Key: 'c', Size: 12 },
      ],
    },
  });
  expect(server.requests.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
    ['/my-bucket', { 'list-type': '2', 'max-keys': '9', prefix: 'a b/' }],
    ['/my-bucket', { 'continuation-token': '1+=', 'list-type': '2', 'max-keys': '9', prefix: 'a b/' }],
  ]);
});

it('a bucket without objects has none, and a refusal of S3 is quoted', async () => {
  const headers = { 'content-type': 'application/xml' };
  const { call } = await aws('s3', 's3', (_request, count) =>
    count === 1
      ? { headers, body: '<ListBucketResult><Name>b</Name><KeyCount>0</KeyCount></ListBucketResult>' }
      : {
          headers,
          status: 403,
          body: '<Error><Code>AccessDenied</Code><Message>Access &lt;Denied&gt;</Message></Error>',
        },
  );
  expect(await call('s3-list-objects', { bucket: 'my-bucket' })).toMatchObject({ output: { items: [] } });
  expect(await call('s3-list-objects', { bucket: 'my-bucket' })).toMatchObject({
    errorMessage: 'Amazon S3 responded with 403: Access <Denied>',
  });
});

it('uploads a file to a key with slashes, and downloads one as it is', async () => {
  const { server, call } = await aws('s3', 's3', ({ method }) =>
    method === 'PUT'
      ? { headers: { 'content-type': 'application/xml' }, body: '' }
      : { headers: { 'content-type': 'application/xml' }, body: '<a><b>1</b></a>' },
  );
  const at = { bucket: 'my-bucket', key: 'reports/2026 (1).txt' };
  const file = { name: 'a.txt', contentType: 'text/plain', base64: Buffer.from('hello').toString('base64') };
  expect(await call('s3-upload-object', { ...at, file })).toMatchObject({ isSuccess: true, output: {} });
  expect(await call('s3-get-object', at)).toMatchObject({ output: { value: '<a><b>1</b></a>' } });
  expect(server.requests.map(({ path, body }) => [path, body])).toEqual([
    ['/my-bucket/reports/2026%20%281%29.txt', 'hello'],
    ['/my-bucket/reports/2026%20%281%29.txt', ''],
  ]);
  expect(server.requests[0]?.headers).toMatchObject({
    'content-type': 'text/plain',
    'x-amz-content-sha256': '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  });
  expect(server.requests[0]?.headers['authorization']).toMatch(
    signed('s3', 'content-type;host;x-amz-content-sha256;x-amz-date'),
  );
});

it('publishes a message by a form and reads the answer', async () => {
  const { server, call } = await aws('sns', 'sns', () => ({
    headers: { 'content-type': 'text/xml' },
    body: '<PublishResponse><PublishResult><MessageId>m1</MessageId></PublishResult></PublishResponse>',
  }));
  const fields = { topicArn: 'arn:aws:sns:eu-central-1:1:news', message: 'Hi & bye' };
  expect(await call('sns-publish-message', fields)).toMatchObject({ output: { MessageId: 'm1' } });
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: 'arn:aws:sns:eu-central-1:1:news',
    Message: 'Hi & bye',
  });
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
