"""The vendors' own Python clients against the simulator, pointed at it by their documented options."""

import unittest

import resend
import stripe

from simulated import Simulated, Subscriber

SECRET = "whsec_c2ltdWxhdGVkLXNlY3JldA=="


class Stripe(unittest.TestCase):
    def client(self, simulated):
        return stripe.StripeClient("sk_test_simulated", base_addresses={"api": simulated.address}, max_network_retries=0)

    def test_a_refund_is_made_once_for_a_key_and_read_back(self):
        with Simulated("stripe", "--settle", "never") as simulated:
            refunds = self.client(simulated).v1.refunds
            asked = {"charge": "ch_1", "amount": 500, "metadata": {"provely_operation": "op_1"}}
            made = refunds.create(asked, {"idempotency_key": "key-1"})
            again = refunds.create(asked, {"idempotency_key": "key-1"})
            self.assertEqual((made.id, made.amount, made.status), (again.id, 500, "pending"))
            read = refunds.retrieve(made.id)
            self.assertEqual((read.id, read.charge, read.metadata["provely_operation"]), (made.id, "ch_1", "op_1"))
            other = refunds.create({"charge": "ch_1", "amount": 200})
            listed = refunds.list({"charge": "ch_1"})
            self.assertEqual([one.id for one in listed.auto_paging_iter()], [other.id, made.id])
            with self.assertRaises(stripe.StripeError):
                refunds.create({"charge": "ch_1", "amount": 700}, {"idempotency_key": "key-1"})
            with self.assertRaises(stripe.InvalidRequestError):
                refunds.retrieve("re_nowhere")
            self.assertEqual(len(simulated.control("GET", "/records?resource=refund")), 2)

    def test_a_delivered_event_passes_the_clients_own_signature_check(self):
        with Subscriber() as subscriber:
            options = ("--settle", "never", "--secret", SECRET, "--webhook", subscriber.url)
            with Simulated("stripe", *options) as simulated:
                made = self.client(simulated).v1.refunds.create({"charge": "ch_1", "amount": 500})
                body, headers = subscriber.next()
                signature = headers["stripe-signature"]
                event = stripe.Webhook.construct_event(body, signature, SECRET)
                self.assertEqual((event.type, event.data.object.id), ("refund.created", made.id))
                with self.assertRaises(stripe.SignatureVerificationError):
                    stripe.Webhook.construct_event(body + b" ", signature, SECRET)
                simulated.control("POST", "/state", {"id": made.id, "to": "succeeded"})
                body, headers = subscriber.next()
                event = stripe.Webhook.construct_event(body, headers["stripe-signature"], SECRET)
                self.assertEqual((event.type, event.data.object.status), ("refund.updated", "succeeded"))


class Resend(unittest.TestCase):
    def test_an_email_is_sent_and_read_back(self):
        with Simulated("resend", "--settle", "never") as simulated:
            resend.api_key = "re_simulated"
            resend.api_url = simulated.address
            asked = {"from": "shop@example.test", "to": ["ada@example.test"], "subject": "Hello", "text": "Hi"}
            sent = resend.Emails.send(asked, {"idempotency_key": "key-1"})
            again = resend.Emails.send(asked, {"idempotency_key": "key-1"})
            self.assertEqual(sent["id"], again["id"])
            read = resend.Emails.get(sent["id"])
            self.assertEqual((read["id"], read["to"], read["subject"]), (sent["id"], ["ada@example.test"], "Hello"))
            self.assertEqual(len(simulated.control("GET", "/records?resource=email")), 1)


if __name__ == "__main__":
    unittest.main()
