package completion

default verified := false

ended := {"bounced", "failed", "canceled"}

verified if {
	input.record.last_event in {"delivered", "opened", "clicked", "complained"}
	input.input.to in input.record.to
	count(input.record.to) == 1
	input.record.subject == input.input.subject
	input.record.from == input.input.from
	not input.record.cc
	not input.record.bcc
	input.record.id == input.own
	input.record.created_at >= input.begin
	not input.own in input.baseline
	input.exhausted
	some listed in input.list
	listed.id == input.own
	every item in input.list { unrelated(item) }
	some event in input.events
	event.record.id == input.own
	event.type == "email.delivered"
	every event in input.events { not event.type in {"email.bounced", "email.failed"} }
}

unrelated(item) if item.id == input.own

unrelated(item) if item.id in input.baseline

unrelated(item) if item.value.subject != input.input.subject

unrelated(item) if item.value.last_event in ended
