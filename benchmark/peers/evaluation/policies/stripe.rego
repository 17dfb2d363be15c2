package completion

default verified := false

ended := {"failed", "canceled"}

verified if {
	input.record.status == "succeeded"
	input.record.amount == input.input.amount
	input.record.charge == input.input.charge
	input.record.currency == input.input.currency
	input.record.id == input.own
	input.record.created >= input.begin - 5
	not input.own in input.baseline
	input.exhausted
	some listed in input.list
	listed.id == input.own
	every item in input.list { unrelated(item) }
	some event in input.events
	event.record.id == input.own
	event.record.status == "succeeded"
	every event in input.events { fits(event) }
}

unrelated(item) if item.id == input.own

unrelated(item) if item.id in input.baseline

unrelated(item) if item.value.amount != input.input.amount

unrelated(item) if item.value.status in ended

fits(event) if {
	event.record.charge == input.input.charge
	not event.record.status in ended
}
