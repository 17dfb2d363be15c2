package completion

default verified := false

verified if {
	input.record.order.id == input.input.order_id
	input.record.id == input.own
	input.record.createdAt >= input.begin
	not input.own in input.baseline
	moved := [part | some part in input.record.transactions.nodes; part.kind == "REFUND"]
	count(moved) > 0
	every part in moved { settled(part) }
	sum([to_number(part.amountSet.presentmentMoney.amount) | some part in moved]) == to_number(input.input.amount)
	to_number(input.record.totalRefundedSet.presentmentMoney.amount) == to_number(input.input.amount)
	not input.record.transactions.pageInfo.hasNextPage
	input.exhausted
	some listed in input.list
	listed.id == input.own
	every item in input.list { unrelated(item) }
}

settled(part) if {
	part.status == "SUCCESS"
	not part.test
	not part.manualPaymentGateway
	part.amountSet.presentmentMoney.currencyCode == input.input.currency
}

unrelated(item) if item.id == input.own

unrelated(item) if item.id in input.baseline

unrelated(item) if item.value.totalRefundedSet.presentmentMoney.amount != input.input.amount
