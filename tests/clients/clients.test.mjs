// The vendors' own JavaScript clients against the simulator, pointed at it by their documented options.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAdminApiClient } from "@shopify/admin-api-client";
import { Resend } from "resend";
import Stripe from "stripe";
import { simulated, subscriber } from "./simulated.mjs";

const SECRET = "whsec_c2ltdWxhdGVkLXNlY3JldA==";

const stripe = (address) => {
  const { hostname, port } = new URL(address);
  return new Stripe("sk_test_simulated", { host: hostname, port, protocol: "http", maxNetworkRetries: 0 });
};

test("stripe: a refund is made once for a key and read back", async (t) => {
  const { address, control } = await simulated(t, "stripe", "--settle", "never");
  const client = stripe(address);
  const asked = { charge: "ch_1", amount: 500, metadata: { provely_operation: "op_1" } };
  const made = await client.refunds.create(asked, { idempotencyKey: "key-1" });
  const again = await client.refunds.create(asked, { idempotencyKey: "key-1" });
  assert.deepEqual([again.id, made.amount, made.status], [made.id, 500, "pending"]);
  const read = await client.refunds.retrieve(made.id);
  assert.deepEqual([read.charge, read.metadata.provely_operation], ["ch_1", "op_1"]);
  const other = await client.refunds.create({ charge: "ch_1", amount: 200 });
  const listed = [];
  for await (const one of client.refunds.list({ charge: "ch_1", limit: 1 })) listed.push(one.id);
  assert.deepEqual(listed, [other.id, made.id]);
  await assert.rejects(client.refunds.create({ charge: "ch_1", amount: 700 }, { idempotencyKey: "key-1" }));
  assert.equal((await control("GET", "/records?resource=refund")).length, 2);
});

test("stripe: a delivered event passes the client's own signature check", async (t) => {
  const hooks = await subscriber(t);
  const options = ["--settle", "never", "--secret", SECRET, "--webhook", hooks.url];
  const { address } = await simulated(t, "stripe", ...options);
  const client = stripe(address);
  const made = await client.refunds.create({ charge: "ch_1", amount: 500 });
  const { body, headers } = await hooks.next();
  const event = client.webhooks.constructEvent(body, headers["stripe-signature"], SECRET);
  assert.deepEqual([event.type, event.data.object.id], ["refund.created", made.id]);
  assert.throws(() => client.webhooks.constructEvent(`${body} `, headers["stripe-signature"], SECRET));
});

test("resend: an e-mail is sent and read back, and its event verified", async (t) => {
  const hooks = await subscriber(t);
  const options = ["--settle", "never", "--secret", SECRET, "--webhook", hooks.url];
  const { address, control } = await simulated(t, "resend", ...options);
  const client = new Resend("re_simulated", { baseUrl: address });
  const asked = { from: "shop@example.test", to: "ada@example.test", subject: "Hello", text: "Hi" };
  const sent = await client.emails.send(asked, { idempotencyKey: "key-1" });
  assert.equal(sent.error, null);
  const again = await client.emails.send(asked, { idempotencyKey: "key-1" });
  assert.equal(again.data.id, sent.data.id);
  const read = await client.emails.get(sent.data.id);
  assert.deepEqual([read.data.to, read.data.subject], [["ada@example.test"], "Hello"]);
  await control("POST", "/state", { id: sent.data.id, to: "sent" });
  const { body, headers } = await hooks.next();
  const signed = { id: headers["svix-id"], timestamp: headers["svix-timestamp"], signature: headers["svix-signature"] };
  const event = client.webhooks.verify({ payload: body, headers: signed, webhookSecret: SECRET });
  assert.equal(event.data.email_id, sent.data.id);
  assert.throws(() => client.webhooks.verify({ payload: `${body} `, headers: signed, webhookSecret: SECRET }));
});

test("shopify: a refund is made and read back", async (t) => {
  const { address, control } = await simulated(t, "shopify", "--settle", "never");
  const client = createAdminApiClient({
    storeDomain: "simulated.myshopify.com",
    apiVersion: "2025-07",
    accessToken: "shpat_simulated",
    customFetchApi: (url, init) => fetch(address + new URL(url).pathname, init),
  });
  const order = await control("POST", "/records", { resource: "order" });
  const mutation = `mutation($input: RefundInput!) {
    refundCreate(input: $input) { refund { id } userErrors { field message } }
  }`;
  const transactions = [{ amount: "25.00", gateway: "bogus", kind: "REFUND", orderId: order.id }];
  const input = { orderId: order.id, note: "op_1", transactions };
  const made = await client.request(mutation, { variables: { input } });
  assert.equal(made.errors, undefined);
  assert.deepEqual(made.data.refundCreate.userErrors, []);
  const query = `query($id: ID!) { refund(id: $id) { id note order { id }
    transactions(first: 5) { nodes { kind status amountSet { presentmentMoney { amount } } } } } }`;
  const read = await client.request(query, { variables: { id: made.data.refundCreate.refund.id } });
  assert.equal(read.errors, undefined);
  const [transaction] = read.data.refund.transactions.nodes;
  assert.deepEqual([read.data.refund.order.id, read.data.refund.note], [order.id, "op_1"]);
  assert.deepEqual([transaction.kind, transaction.status], ["REFUND", "PENDING"]);
  assert.equal(transaction.amountSet.presentmentMoney.amount, "25.00");
});
